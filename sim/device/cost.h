#pragma once

#include "models/operators/work.h"
#include "sim/device/hardware.h"
#include "sim/memory/memory.h"

namespace a3sim {

// Turns work into what it costs alone on one worker of the device: its ideal time and the bytes that it moves
// meanwhile.
//
// Matrix work, a base block at a time: loads to L1, loads to L0 and the cube run side by side (all are
// double-buffered), so the slowest of the three sets the pace; the block's result then leaves L0C, which has
// one buffer, so that the next block waits for it. A task starts with one load to L1 that nothing hides.
// Vector work: loads, arithmetic and stores run side by side.
//
// No L2 contents are modelled here: a matrix task takes its share of its operands' first reads from HBM and
// re-reads them from the L2; vector work reads from HBM; results are written to HBM.
class CostModel {
 public:
  // The hardware must outlive the model.
  explicit CostModel(const Hardware& hardware) : hardware_(hardware) {}

  // Cube and vector work, and the local part of a put (a copy, if it stays on its rank). kNothing: ideal time
  // 0.
  MemoryJob cost(const Work& work) const;

  // What only the arithmetic takes, on one worker: a part of every ideal time. For lower bounds.
  Duration arithmetic(const Work& work) const;

  const Hardware& hardware() const { return hardware_; }

 private:
  MemoryJob cube(const Work& work) const;
  MemoryJob vector(const Work& work) const;
  std::uint32_t macs_per_cycle(DataType type) const;

  const Hardware& hardware_;
};

}  // namespace a3sim
