#pragma once

#include "sim/experiment/step/step_tasks.h"

namespace a3sim {

// Writes one block's part of a chunk's work, forward or backward, or of two micro-batches that run beside one
// another.
class BlockWriter {
 public:
  // All arguments must outlive the writer.
  BlockWriter(const StepParts& parts, StepTasks& tasks)
      : experiment_(parts.experiment),
        step_(parts.step),
        layout_(parts.layout),
        blocks_(parts.blocks),
        tasks_(tasks) {}

  AfterTasks forward(const ChunkWork& work, std::uint32_t block, AfterTasks after);
  // If `split`, leaves out the weight gradients that can be computed later.
  AfterTasks backward(const ChunkWork& work, std::uint32_t block, AfterTasks after, bool split);
  AfterTasks weights(const ChunkWork& work, std::uint32_t block, AfterTasks after);

  // Two micro-batches. The exchanges of one run while the other computes.
  struct Pair {
    ChunkWork forward, backward;
    AfterTasks after_forward, after_backward;
  };
  void both(Pair& pair, std::uint32_t forward_block, std::uint32_t backward_block, bool split);

 private:
  // Writes what is computed again before a block's backward pass.
  AfterTasks again(const ChunkWork& work, const BlockTimes& block, AfterTasks after);
  // Returns the factor by which kernels take longer while exchanges hold some of the workers.
  double slowness(const Pair& pair, const BlockTimes& ahead, const BlockTimes& back) const;
  // Returns the times of the block's experts under the routing that the work's layer and micro-batch drew.
  const ExpertTimes& drawn(const ChunkWork& work, const BlockTimes& block) const;
  AfterTasks forward_experts(const ChunkWork& work, const ExpertPass& pass, AfterTasks after);

  const Experiment& experiment_;
  const StepOptions& step_;
  const StageLayout& layout_;
  const std::vector<BlockTimes>& blocks_;
  StepTasks& tasks_;
};

}  // namespace a3sim
