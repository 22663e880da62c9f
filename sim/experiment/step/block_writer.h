#pragma once

#include "sim/experiment/step/step_tasks.h"

namespace a3sim {

// Writes one block's part of a chunk's work, forward or backward, or of two micro-batches beside one another.
class BlockWriter {
 public:
  // All must outlive it.
  BlockWriter(const StepParts& parts, StepTasks& tasks)
      : experiment_(parts.experiment), step_(parts.step), blocks_(parts.blocks), tasks_(tasks) {}

  AfterTasks forward(const ChunkWork& work, std::uint32_t block, AfterTasks after);
  // `split`: without the weight gradients that can be left for later.
  AfterTasks backward(const ChunkWork& work, std::uint32_t block, AfterTasks after, bool split);
  AfterTasks weights(const ChunkWork& work, std::uint32_t block, AfterTasks after);

  // Two micro-batches, whose exchanges run while the other one computes.
  struct Pair {
    ChunkWork forward, backward;
    AfterTasks after_forward, after_backward;
  };
  void both(Pair& pair, std::uint32_t forward_block, std::uint32_t backward_block, bool split);

 private:
  // What is computed again before a block's backward pass.
  AfterTasks again(const ChunkWork& work, const BlockTimes& block, AfterTasks after);
  // By how much kernels take longer beside exchanges that hold some of the workers while they go on.
  double slowness(const BlockTimes& ahead, const BlockTimes& back) const;
  AfterTasks forward_experts(const ChunkWork& work, const ExpertPass& pass, AfterTasks after);

  const Experiment& experiment_;
  const StepOptions& step_;
  const std::vector<BlockTimes>& blocks_;
  StepTasks& tasks_;
};

}  // namespace a3sim
