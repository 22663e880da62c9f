#pragma once

#include <cstdint>
#include <vector>

#include "sim/diagnosis/faults/fault.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/experiment.h"
#include "sim/runtime/result.h"

namespace a3sim {

// A compiled configuration of steps.
struct StepVariant {
  Experiment experiment;
  Compiled compiled;
  bool by_kernels = false;  // the host launches each kernel, instead of a pass at a time
  // The operations of each pass and rank.
  std::vector<std::vector<double>> operations;
  std::vector<std::uint32_t> rows;  // one entry per rank: rows that its experts compute
};
// Compiles the experiment.
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
  RunResult run(KernelLaunches* launches, bool record) const;
};

// Returns the experiment with the step's noise, without faults of single ranks.
Experiment experiment_in(const PassRun& run);

// Launches every kernel when the device asks for it, and records that date.
class UnheldLaunches final : public KernelLaunches {
 public:
  explicit UnheldLaunches(std::size_t ranks) : begins(ranks) {}
  Time begin(RankId rank, std::uint32_t, Time asked) override {
    begins[index(rank)].push_back(asked.time_since_epoch());
    return asked;
  }
  KernelBegins begins;
};

// Launches kernels at recorded dates.
class RepeatedLaunches final : public KernelLaunches {
 public:
  explicit RepeatedLaunches(const KernelBegins& begins) : begins_(begins) {}
  Time begin(RankId rank, std::uint32_t kernel, Time) override { return Time(begins_[index(rank)][kernel]); }

 private:
  const KernelBegins& begins_;
};

}  // namespace a3sim
