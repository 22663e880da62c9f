#pragma once

#include "sim/device/kernel_cost.h"
#include "sim/experiment/step/parameter_buckets.h"
#include "sim/experiment/step/step_tasks.h"

namespace a3sim {

// Writes the parts of a step outside its passes: exchanges of weights and gradients among DP ranks, and the
// optimizer.
class UpdateWriter {
 public:
  // Both arguments must outlive it.
  UpdateWriter(const StepParts& parts, StepTasks& tasks);

  // Writes the gathering of a stage's weights, which the step before updated, beside the first forward
  // passes. The first block of each bucket waits for them.
  void gather_ahead(std::uint32_t stage);
  // Returns what a block's pass waits for: `after`, and its weights if they are spread. Casts them to eight bits if products
  // are: once a step, or each time that they are gathered.
  AfterTasks gathered(const ChunkWork& work, AfterTasks after);
  // Tells the writer that a block's weight gradients are computed: `after`. `last` is true for those of the
  // last micro-batch. Returns what the next block waits for.
  AfterTasks computed(const ChunkWork& work, AfterTasks after, bool last);
  // Writes the rest of the step. Must be called after all passes of the stage are written.
  void finish(std::uint32_t stage);

 private:
  ParameterCounts of_stage(std::uint32_t stage) const;
  // Returns the number of parameters that one die of a stage updates.
  double updated(std::uint32_t stage) const;
  MemoryJob update_job(double parameters) const;
  bool overlaps(DpOverlap what) const {
    return step_.dp_overlap == what || step_.dp_overlap == DpOverlap::kBoth;
  }
  AfterTasks gather(const ChunkWork& work, ParameterCounts parameters, AfterTasks after);
  AfterTasks cast(const ChunkWork& work, const ParameterBucket& bucket, AfterTasks after);
  // Writes the sum of gradients. `last`: also over replicas.
  AfterTasks reduce(const ChunkWork& work, ParameterCounts parameters, bool last, AfterTasks after);
  void update(std::uint32_t stage, AfterTasks after);

  struct Stage {
    // The tasks that the last block waited for. Once they end, its weights are there, and the next ones may
    // come.
    AfterTasks before_last;
    AfterTasks reduced;   // the tasks that sum gradients
    AfterTasks computed;  // the last passes
  };
  const Experiment& experiment_;
  const StepOptions& step_;
  const StageLayout& layout_;
  const std::vector<BlockTimes>& blocks_;
  StepTasks& tasks_;
  Hardware hardware_;
  KernelCost cost_;
  std::vector<Stage> stages_;
  std::vector<ChunkBuckets> buckets_;  // one entry per chunk
  // One entry per chunk, then bucket: the tasks that bring its weights; empty if they are always there.
  std::vector<std::vector<AfterTasks>> weights_;
  std::vector<std::vector<bool>> are_cast_;  // as weights_: in eight bits already
};

}  // namespace a3sim
