#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// What decides how flows share the ports: rates of classes of flows that have the same ports and cap, given
// how many flows each class has. Classes are numbered densely; whoever calls knows which is which.
// Rates and capacities inside are in bytes a picosecond.
class RateSolver {
 public:
  virtual ~RateSolver() = default;

  // Adds a class without flows; its number is the count of classes so far.
  virtual void add(std::uint32_t from, std::uint32_t to, BytesPerSecond cap) = 0;
  // Removes a class without flows; the last one takes its number.
  virtual void remove(std::uint32_t c) = 0;
  // One flow more or less.
  virtual void join(std::uint32_t c) = 0;
  virtual void leave(std::uint32_t c) = 0;
  virtual void set_egress(std::uint32_t port, BytesPerSecond capacity) = 0;
  virtual void set_ingress(std::uint32_t port, BytesPerSecond capacity) = 0;

  // Sets the rates of all classes, each of which has flows.
  virtual void solve() = 0;
  // Of one flow of each class, as solved last.
  const std::vector<double>& rates() const { return rates_; }
  // Through a port, as solved last.
  virtual double egress_rate(std::uint32_t port) const = 0;
  virtual double ingress_rate(std::uint32_t port) const = 0;

 protected:
  std::vector<double> rates_;
};

}  // namespace a3sim
