#pragma once

#include <utility>
#include <vector>

#include "sim/experiment/step/step_program.h"
#include "sim/runtime/streams/stream_run.h"

namespace a3sim {

inline constexpr double kGibibyte = 1024.0 * 1024 * 1024;

// The bytes that a die of a stage holds at its fullest.
struct StageMemory {
  double weights = 0, gradients = 0, states = 0;  // for the whole step
  double gathered = 0;                            // weights of blocks that exist only during their passes
  double activations = 0;                         // the largest at any time
  double again = 0;                               // activations of the block that is computed again
  double total() const { return weights + gradients + states + gathered + activations + again; }
};

// Returns everything but the activations, which follow from a run or from the schedule.
StageMemory static_memory(const StepOptions& step, const StageLayout& layout,
                          const std::vector<BlockTimes>& blocks, std::uint32_t stage);
// Returns the memory with as many micro-batches as the schedule keeps at a time.
std::vector<StageMemory> foreseen_memory(const StepOptions& step, const StageLayout& layout,
                                         const std::vector<BlockTimes>& blocks, const StageOrders& orders);

// The bytes of activations on a stage's die after each change.
using ActivationCurve = std::vector<std::pair<Duration, double>>;
ActivationCurve activations_of(const StepProgram& written, const StreamResult& result, std::uint32_t stage);

}  // namespace a3sim
