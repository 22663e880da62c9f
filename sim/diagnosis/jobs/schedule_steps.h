#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/diagnosis/jobs/pass_run.h"
#include "sim/experiment/run/compiled.h"
#include "sim/runtime/result.h"

namespace a3sim {

StepNames schedule_step_names(const Experiment& experiment);

// Steps of schedules.
class ScheduleSteps final : public StepWork {
 public:
  // Compiles the experiment, and runs it once to count its operations.
  explicit ScheduleSteps(const Experiment& experiment);
  RanPass run(const PassRun& run, KernelLaunches* launches, bool record) const override;

  const Compiled& compiled() const { return compiled_; }

 private:
  std::vector<LightRecord> light_records(const PassRun& run, const RunResult& result) const;

  Compiled compiled_;
  std::vector<std::vector<double>> operations_;  // of each pass and rank
  std::vector<std::uint32_t> rows_;              // one entry per rank: rows that its experts compute
};
std::unique_ptr<const StepWork> schedule_steps(const Experiment& experiment);

// A pass of schedules whose tasks were recorded.
class ScheduleTasks final : public PassTasks {
 public:
  explicit ScheduleTasks(RunResult result) : result_(std::move(result)) {}
  void add_full(const PassRun& run, const FullRanks& ranks, FullStep& full) const override;

  const RunResult& result() const { return result_; }

 private:
  RunResult result_;
};

}  // namespace a3sim
