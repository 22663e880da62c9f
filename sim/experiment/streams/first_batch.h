#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {

// The first micro-batch of an experiment on streams, of its first seed, with what its method decides on the
// experiment's own machine. Thread-safe.
class FirstBatch {
 public:
  // Throws InputError unless the experiment can run on streams. Without batches, draws them.
  explicit FirstBatch(const Experiment& experiment, const Batches* batches = nullptr);

  static const std::vector<std::string>& pass_names();
  // Writes a pass for the machine of `on`, because kernels take other times there.
  StreamPass write(const Experiment& on, std::size_t pass) const;
  // Runs a pass that was written for that machine.
  void run(StreamPass& written, const Experiment& on, TaskHooks* hooks) const;

  const Experiment& experiment() const { return own_; }
  const MicroBatch& batch() const { return batch_; }
  const ExpertPlan& plan() const { return *plan_; }

 private:
  Experiment own_;
  Batches batches_;
  LoadHistory history_;
  MicroBatch batch_;
  Hardware hardware_;
  KernelCost cost_;
  std::unique_ptr<ExpertPlan> plan_;
};

// Returns the work of an experiment on streams, on the first of these micro-batches.
std::shared_ptr<const ExperimentWork> streams_on(const Experiment& experiment, Batches batches);

}  // namespace a3sim
