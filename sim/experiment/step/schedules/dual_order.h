#pragma once

#include <cstdint>
#include <vector>

#include "sim/experiment/step/schedule.h"

namespace a3sim {

// The parameters of one stage's order under DeepSeek's DualPipe and DualPipeV. Each stage holds two chunks, whose micro-batches
// meet: forward passes of one run beside backward passes of the other.
struct DualOrder {
  std::uint32_t depth = 1;          // stages between the ends and the middle, where both ways meet
  std::uint32_t place = 0;          // of the stage, from its end on
  std::uint32_t micro_batches = 1;  // of each chunk
  std::uint32_t chunk[2] = {0, 0};  // the one that is nearer to its first stage, and the other one
  bool split_weights = false, overlap = false;
};

// Returns the stage's list, in the order of dualpipe.py and dualpipev.py (deepseek-ai/DualPipe).
std::vector<StageWork> dual_order(const DualOrder& of);

}  // namespace a3sim
