#pragma once

#include <span>

namespace a3sim {

// A network with cables that tells the rates of all at once. Backends whose networks take cables make such ones.
class CableMeter {
 public:
  virtual ~CableMeter() = default;
  // Writes the bytes per second that each cable carries now.
  virtual void cable_rates(std::span<double> rates) = 0;
};

}  // namespace a3sim
