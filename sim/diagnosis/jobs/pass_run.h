#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/diagnosis/faults/fault.h"
#include "sim/diagnosis/observe/pass_work.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/draws.h"
#include "traces/observation.h"

namespace a3sim {

struct PassRun;

// What one pass of a step came to. Times count from PassRun::since.
struct RanPass {
  Duration makespan{};
  std::vector<LightRecord> light;        // by rank: what its device did
  std::shared_ptr<const PassWork> work;  // of its tasks; null if they were not recorded
};

// What steps run, prepared once for a configuration: schedules, or programs on streams. Thread-safe.
class StepWork {
 public:
  virtual ~StepWork() = default;
  // `launches` is required if kernels are launched one by one. `record` asks for the tasks.
  virtual RanPass run(const PassRun& run, KernelLaunches* launches, bool record) const = 0;
};

// The names of what a job's steps run.
struct StepNames {
  std::vector<std::string> passes;     // in their order
  std::vector<std::string> operators;  // of all passes, each once
};
StepNames step_names(const Experiment& experiment);

// A configuration of steps.
struct StepVariant {
  Experiment experiment;
  std::unique_ptr<const StepWork> work;
  bool by_kernels = false;  // the host launches each kernel, instead of a pass at a time
};
// The two kinds of work, one file each.
StepNames schedule_step_names(const Experiment& experiment);
std::unique_ptr<const StepWork> schedule_steps(const Experiment& experiment);
// Each step runs the experiment's first micro-batch.
StepNames stream_step_names(const Experiment& experiment);
std::unique_ptr<const StepWork> stream_steps(const Experiment& experiment);

// Prepares the experiment.
StepVariant make_variant(Experiment experiment);

// The start of each kernel, per rank, relative to the pass.
using KernelBegins = std::vector<std::vector<Duration>>;

// Everything that determines the result of a pass.
struct PassRun {
  const StepVariant* variant = nullptr;
  const StepConditions* conditions = nullptr;
  StepNoise noise;
  std::uint32_t step = 0;
  std::size_t pass = 0;
  Duration since{};              // from the job's start until the first rank could begin the pass
  std::vector<Duration> starts;  // one entry per rank: its start, relative to `since`

  // Runs the pass. Thread-safe. `launches` is required if kernels are launched one by one.
  RanPass run(KernelLaunches* launches, bool record) const {
    return variant->work->run(*this, launches, record);
  }
  // Returns the experiment with the step's noise and what its faults change of ranks. Its links are not
  // disturbed yet: see links().
  Experiment experiment() const;
  // Returns the faults of links in this pass.
  LinkDisturbances links() const;
  JitterOptions jitter() const { return {1, noise.seed, noise.durations, noise.rates}; }
};

// Launches every kernel when the device asks for it, and records that time.
class UnheldLaunches final : public KernelLaunches {
 public:
  explicit UnheldLaunches(std::size_t ranks) : begins(ranks) {}
  Time begin(RankId rank, std::uint32_t, Time asked) override {
    begins[index(rank)].push_back(asked.time_since_epoch());
    return asked;
  }
  KernelBegins begins;
};

// Launches kernels at recorded times.
class RepeatedLaunches final : public KernelLaunches {
 public:
  explicit RepeatedLaunches(const KernelBegins& begins) : begins_(begins) {}
  Time begin(RankId rank, std::uint32_t kernel, Time) override { return Time(begins_[index(rank)][kernel]); }

 private:
  const KernelBegins& begins_;
};

}  // namespace a3sim
