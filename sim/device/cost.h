#pragma once

#include "models/operators/work.h"
#include "sim/device/hardware.h"
#include "sim/memory/memory.h"

namespace a3sim {

// Turns work into what it costs alone on one worker of the device: its ideal time and the bytes that it moves meanwhile.
// No L2 is modelled yet: within one operator and expert every operand comes from HBM once and all re-reads hit the L2;
// nothing is kept between operators. Results say so.
class CostModel {
 public:
  explicit CostModel(const Hardware& hardware) : hardware_(hardware) {}

  // Cube, vector and local-put work; kNothing costs nothing (ideal 0).
  MemoryJob cost(const Work& work) const;

  const Hardware& hardware() const { return hardware_; }

 private:
  MemoryJob cube(const Work& work) const;
  MemoryJob vector(const Work& work) const;
  const Hardware& hardware_;
};

}  // namespace a3sim
