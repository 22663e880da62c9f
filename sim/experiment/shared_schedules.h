#pragma once

#include <span>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Runs experiments one after the other, and compiles only where the one before leaves no schedules that are
// the same: those of equal graphs under equal CompileOptions.
class SharedSchedules {
 public:
  // As run_experiment() does, on the experiment's own network. The results stand until the next run.
  std::span<const PassResult> run(const Experiment& experiment, bool record);
  std::size_t compiled() const { return compiled_; }  // how often

 private:
  bool fits(const Experiment& experiment, const CompileOptions& options) const;
  void compile_all_passes(const Experiment& experiment, const CompileOptions& options);

  CompileOptions options_;  // of the last
  std::vector<Pass> passes_;
  std::vector<PassResult> results_;  // with its schedules
  std::size_t compiled_ = 0;
};

}  // namespace a3sim
