#pragma once

#include <cstdint>
#include <vector>

#include "sim/diagnosis/faults/fault.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/experiment.h"
#include "sim/runtime/result.h"

namespace a3sim {

// A configuration that steps run under, compiled.
struct StepVariant {
  Experiment experiment;
  Compiled compiled;
  bool by_kernels = false;  // the host launches kernel by kernel, not a pass at a time
  // By pass and rank: what follows from the configuration alone.
  std::vector<std::vector<double>> operations;
  std::vector<std::uint32_t> rows;  // by rank: that its experts work on
};
StepVariant make_variant(Experiment experiment);

// When the kernels of each rank began: dates of the pass.
using KernelBegins = std::vector<std::vector<Duration>>;

// Everything that the result of a pass of a step follows from.
struct PassRun {
  const StepVariant* variant = nullptr;
  const StepConditions* conditions = nullptr;
  StepNoise noise;
  std::uint32_t step = 0;
  std::size_t pass = 0;
  Duration since{};              // the job's start, before the first rank could begin with the pass
  std::vector<Duration> starts;  // by rank: after that

  // Safe for many threads at a time. `launches` is needed where kernels are launched one by one.
  RunResult run(KernelLaunches* launches, bool record) const;
};

// The machine under the step's noise, before what is wrong with single ranks.
Hardware hardware_in(const PassRun& run);

// Kernels begin when the device asks for them; when they were asked for is kept.
class UnheldLaunches final : public KernelLaunches {
 public:
  explicit UnheldLaunches(std::size_t ranks) : begins(ranks) {}
  Time begin(RankId rank, std::uint32_t, Time asked) override {
    begins[index(rank)].push_back(asked.time_since_epoch());
    return asked;
  }
  KernelBegins begins;
};

// They begin when they began before.
class RepeatedLaunches final : public KernelLaunches {
 public:
  explicit RepeatedLaunches(const KernelBegins& begins) : begins_(begins) {}
  Time begin(RankId rank, std::uint32_t kernel, Time) override { return Time(begins_[index(rank)][kernel]); }

 private:
  const KernelBegins& begins_;
};

}  // namespace a3sim
