#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// What decides how flows share the ports: rates of classes of flows that have the same ports and cap, given
// how many flows each class has; and what is left of each class's first flow as time passes. Whoever
// calls numbers the classes. Inside, bytes and picoseconds.
class RateSolver {
 public:
  // A class whose first flow ends, what is left of it within rounding, and how much rounding that may be.
  struct Ending {
    std::uint32_t c;
    double left, slack;
  };

  virtual ~RateSolver() = default;

  // Adds a class without flows. Its number is the next, or that of a class removed.
  virtual void add(std::uint32_t c, std::uint32_t from, std::uint32_t to, BytesPerSecond cap) = 0;
  // Removes a class without flows.
  virtual void remove(std::uint32_t c) = 0;
  // One flow more or less.
  virtual void join(std::uint32_t c) = 0;
  virtual void leave(std::uint32_t c) = 0;
  virtual void set_egress(std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_ingress(std::uint32_t port, BytesPerSecond capacity) = 0;

  // Sets the rates of all classes, each of which has flows.
  virtual void solve() = 0;
  // Of one flow of a class, as solved last.
  virtual double rate(std::uint32_t c) const = 0;
  // Through a port, as solved last.
  virtual double egress_rate(std::uint32_t port) const = 0;
  virtual double ingress_rate(std::uint32_t port) const = 0;

  // Bytes of a class's flow that ends first.
  virtual double left(std::uint32_t c) const = 0;
  virtual void set_left(std::uint32_t c, double bytes) = 0;
  // Time passes at the rates solved last.
  virtual void serve(double picoseconds) = 0;
  // Picoseconds to the next end, or infinity.
  virtual double first_end() const = 0;
  // Appends the classes of which no more is left than `noise` and what flows in kSlack. Each is given
  // what is left of its next flow afterwards, or is removed.
  virtual void take_ending(double noise, std::vector<Ending>& ending) = 0;
};

}  // namespace a3sim
