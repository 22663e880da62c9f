#pragma once

#include <vector>

#include "sim/experiment/step/step_tasks.h"

namespace a3sim {

// Moves a part of the activations (step.offload) to the host's memory behind each block's forward pass, and back before
// its backward pass, one block ahead.
class OffloadWriter {
 public:
  // Both arguments must outlive it.
  OffloadWriter(const StepParts& parts, StepTasks& tasks);

  // Tells the writer what a block's forward pass waits for.
  void forward(const ChunkWork& work, const AfterTasks& after);
  // Tells the writer that a block's pass has ended: `after`. What is fetched one block ahead is not fetched before.
  void ended(const ChunkWork& work, const AfterTasks& after);
  // Writes the way out of a block's activations, once its forward pass has ended: `after`.
  void out(const ChunkWork& work, std::uint32_t block, const AfterTasks& after);
  // Returns what a block's backward pass waits for: `after`, and its activations.
  AfterTasks in(const ChunkWork& work, std::uint32_t block, AfterTasks after);
  // Adds when a die keeps the activations of a block whose forward pass begins with task `first`, and whose backward pass
  // ends with task `last`.
  void keep(const ChunkWork& work, std::uint32_t block, std::uint32_t first, std::uint32_t last,
            std::vector<KeptBytes>& kept) const;

 private:
  std::size_t at(const ChunkWork& work) const {
    return std::size_t{work.layer} * step_.micro_batches() + work.micro_batch;
  }

  // Returns what a stage's pass begins after: what it waits for, and the pass before it.
  AfterTasks begins(const ChunkWork& work, AfterTasks after) const;

  const StepOptions& step_;
  const std::vector<BlockTimes>& blocks_;
  StepTasks& tasks_;
  std::vector<AfterTasks> begun_;  // one entry per stage: what its last block began after
  std::vector<AfterTasks> ended_;  // one entry per stage: the end of its last block
  // One entry per block of the model, then micro-batch: the tasks that move its activations; empty without step.offload.
  std::vector<std::uint32_t> out_, in_;
};

}  // namespace a3sim
