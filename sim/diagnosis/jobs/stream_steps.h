#pragma once

#include <memory>
#include <utility>

#include "sim/diagnosis/jobs/pass_run.h"
#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {

// Writes the programs to know what their tasks are called.
StepNames stream_step_names(const Experiment& experiment);

// Steps of programs on streams: each step runs the experiment's first micro-batch.
std::unique_ptr<const StepWork> stream_steps(const Experiment& experiment);

// What ran on streams, and its ranks with what the step changed of them.
struct StreamStep {
  StreamPass pass;
  std::vector<RankOptions> ranks;
};

// Returns what each rank's device did. A rank waits for another one while none of its tasks runs or is being
// launched, until a task of that rank ends. Work of its host counts as its own.
std::vector<LightRecord> light_records(const StreamStep& step);

// A pass on streams whose tasks were recorded. An operator is all tasks of a rank with one name. The
// arithmetic of products is that of their multiply-accumulates; that of vector kernels is not told apart from
// their loads and stores: these are counted as their operations, an element each, and they count as bound by
// memory.
class StreamTasks final : public PassTasks {
 public:
  explicit StreamTasks(StreamStep step) : step_(std::move(step)) {}
  void add_full(const PassRun& run, const FullRanks& ranks, FullStep& full) const override;

  const StreamStep& step() const { return step_; }

 private:
  StreamStep step_;
};

}  // namespace a3sim
