#pragma once

#include "sim/device/kernel_cost.h"
#include "sim/experiment/step/step_tasks.h"

namespace a3sim {

// Writes the parts of a step outside its passes: exchanges of weights and gradients among DP ranks, and the
// optimizer.
class UpdateWriter {
 public:
  // Both arguments must outlive it.
  UpdateWriter(const StepParts& parts, StepTasks& tasks);

  // Writes the gathering of a stage's weights, which the step before updated, beside the first forward
  // passes. A chunk's first block waits for them.
  void gather_ahead(std::uint32_t stage);
  // Returns what a block's pass waits for: `after`, and its weights if they are spread.
  AfterTasks gathered(const ChunkWork& work, std::uint32_t block, AfterTasks after);
  // Writes the exchange that brings gradients of a block's spread weights to the dies that keep them.
  void scatter(const ChunkWork& work, std::uint32_t block, const AfterTasks& after);
  // Tells the writer that the weight gradients of a chunk for a micro-batch are computed. `last` is true if
  // this was the last micro-batch.
  void computed(const ChunkWork& work, AfterTasks after, bool last);
  // Writes the rest of the step. Must be called after all passes of the stage are written.
  void finish(std::uint32_t stage);

 private:
  struct Parameters {
    double dense = 0, expert = 0;
  };
  Parameters of_chunk(std::uint32_t chunk) const;
  Parameters of_stage(std::uint32_t stage) const;
  // Returns the number of parameters that one die of a stage updates.
  double updated(std::uint32_t stage) const;
  MemoryJob update_job(double parameters) const;
  bool overlaps(DpOverlap what) const {
    return step_.dp_overlap == what || step_.dp_overlap == DpOverlap::kBoth;
  }
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
  // One entry per chunk: the tasks that bring its weights; empty if they are always there.
  std::vector<AfterTasks> weights_;
};

}  // namespace a3sim
