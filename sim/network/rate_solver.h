#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// Computes the rates of classes of flows. The flows of a class have the same ports, path and cap; the caller
// numbers the classes and tells how many flows each has. The solver also tracks the rest of each class's
// first flow as time passes. Units are bytes and picoseconds.
class RateSolver {
 public:
  // A class whose first flow ends, the rest of that flow in bytes, and the possible rounding error of the
  // rest.
  struct Ending {
    std::uint32_t c;
    double left, slack;
  };

  virtual ~RateSolver() = default;

  // Adds a class without flows. `c` is the next number, or that of a removed class.
  virtual void add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap,
                   std::uint32_t path) = 0;
  // Removes a class without flows.
  virtual void remove(std::uint32_t c) = 0;
  // Adds or removes one flow of a class.
  virtual void join(std::uint32_t c) = 0;
  virtual void leave(std::uint32_t c) = 0;
  virtual void set_egress(std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_ingress(std::uint32_t port, BytesPerSecond capacity) = 0;
  // Never called for solvers of ports alone.
  virtual void set_cable(std::uint32_t /*cable*/, BytesPerSecond /*capacity*/) {}

  // Sets the rates of all classes. Each must have flows.
  virtual void solve() = 0;
  // Returns the rate of one flow of a class, as solved last.
  virtual double rate(std::uint32_t c) const = 0;
  // Returns the rate through a port, as solved last.
  virtual double egress_rate(std::uint32_t port) const = 0;
  virtual double ingress_rate(std::uint32_t port) const = 0;
  virtual double cable_rate(std::uint32_t /*cable*/) const { return 0; }
  // Writes the rates of all cables.
  virtual void cable_rates(std::span<double> rates) const {
    for (std::uint32_t c = 0; c < rates.size(); ++c) rates[c] = cable_rate(c);
  }

  // Returns the remaining bytes of the class's flow that ends first.
  virtual double left(std::uint32_t c) const = 0;
  virtual void set_left(std::uint32_t c, double bytes) = 0;
  // Advances time at the rates solved last.
  virtual void serve(double picoseconds) = 0;
  // Returns picoseconds to the next end, or infinity.
  virtual double first_end() const = 0;
  // Appends the classes whose first flow has at most `noise` left, plus what flows in kSlack. The caller must
  // then set the rest of each class's next flow, or remove the class.
  virtual void take_ending(double noise, std::vector<Ending>& ending) = 0;
};

}  // namespace a3sim
