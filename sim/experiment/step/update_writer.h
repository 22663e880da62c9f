#pragma once

#include "sim/device/kernel_cost.h"
#include "sim/experiment/step/step_tasks.h"

namespace a3sim {

// Writes what a step does beside its passes: exchanges of weights and gradients among DP ranks, and the optimizer.
class UpdateWriter {
 public:
  // Both must outlive it.
  UpdateWriter(const StepParts& parts, StepTasks& tasks);

  // Weights of a stage that come back to its dies while the first forward passes run, from the step before: a chunk's first
  // block waits for them.
  void gather_ahead(std::uint32_t stage);
  // What a block's pass waits for, beside `after`: its weights, where they are spread.
  AfterTasks gathered(const ChunkWork& work, std::uint32_t block, AfterTasks after);
  // Gradients of a block's spread weights go to their places.
  void scatter(const ChunkWork& work, std::uint32_t block, const AfterTasks& after);
  // A micro-batch's weight gradients of a chunk are there; `last`: of all micro-batches.
  void computed(const ChunkWork& work, AfterTasks after, bool last);
  // What is left of the step when all passes of the stage are written.
  void finish(std::uint32_t stage);

 private:
  struct Parameters {
    double dense = 0, expert = 0;
  };
  Parameters of_chunk(std::uint32_t chunk) const;
  Parameters of_stage(std::uint32_t stage) const;
  // Of a stage: parameters that one die updates.
  double updated(std::uint32_t stage) const;
  MemoryJob update_job(double parameters) const;
  bool overlaps(DpOverlap what) const {
    return step_.dp_overlap == what || step_.dp_overlap == DpOverlap::kBoth;
  }
  void update(std::uint32_t stage, AfterTasks after);

  struct Stage {
    AfterTasks
        before_last;  // what the last block waited for: then its weights are there, and the next ones may come
    AfterTasks reduced;   // gradients that are summed
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
  std::vector<AfterTasks> weights_;  // by chunk: its weights are there; empty: they always are
};

}  // namespace a3sim
