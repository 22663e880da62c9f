#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/runtime/hosts/host_options.h"
#include "sim/runtime/link_disturbances.h"

namespace a3sim {

// What one step of a job runs under, beside its configuration: what faults change, and nothing else knows of them.
struct StepConditions {
  // A slower operator of a rank.
  struct SlowOperator {
    std::uint32_t rank = 0;
    std::string name;
    double factor = 1;  // of its tasks' own times
  };

  std::vector<double> clock, hbm;  // by rank: of the hardware's
  std::vector<Duration> late;      // by rank: how much later than it could it starts with the step
  LinkDisturbances links;
  std::vector<SlowOperator> operators;
  std::vector<HostStep> hosts;                            // by rank
  std::vector<std::pair<std::string, std::string>> sets;  // key and value, over the configuration

  StepConditions(std::uint32_t ranks, const DataOptions& data)
      : clock(ranks, 1), hbm(ranks, 1), late(ranks), hosts(ranks) {
    for (HostStep& host : hosts) host.data = data;
  }
};

// What the readers of faults have to know of the job.
struct FaultSite {
  std::uint32_t ranks = 1;
  std::vector<std::string> planes;     // in the hardware's order
  std::vector<bool> used;              // by plane: two ranks meet over it
  std::vector<std::string> operators;  // of all passes
  std::uint64_t seed = 1;              // of what faults draw
};

// Something that is wrong with a job in some of its steps.
struct Fault {
  // What it does to a step that lies in its window.
  std::function<void(const Fault&, std::uint32_t step, StepConditions&)> disturb;

  std::string kind{}, text{};  // as it was written, on one line
  std::vector<std::uint32_t> ranks{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links{};  // from, to
  std::vector<std::string> operators{};
  std::uint32_t first = 0, last = kNone;  // steps, inclusive
  std::uint64_t seed = 0;                 // of its own

  bool in(std::uint32_t step) const { return first <= step && step <= last; }
};

// A kind of faults, or a few that are read alike, in a file each; registered by name. `ranks` and `steps` are read for
// all kinds.
struct FaultKind {
  static constexpr std::string_view kKind = "fault";
  std::string_view example;  // as it stands in a list of faults
  // Reads what is its own; what is wrong is noted.
  Fault (*read)(const Config& entry, const FaultSite& site);
  bool of_ranks = true;  // it has `ranks: all`, or a list
};
using FaultKinds = Registry<FaultKind>;

// How much durations and rates differ from step to step: evenly within the spread.
struct StepNoise {
  double durations = 0, rates = 0;
  std::uint64_t seed = 1;
  bool any() const { return durations > 0 || rates > 0; }
};

// Everything that is injected into a job.
struct Injection {
  StepNoise noise;
  std::vector<Fault> faults;

  StepConditions conditions(std::uint32_t step, std::uint32_t ranks, const DataOptions& data) const;
};

// Adds what the blocks `noise` and `faults` say; notes what is wrong with them. A file's noise replaces that before.
void read_injection(const Config& root, FaultSite site, Injection& injection);

// "2 %" as 0.02: a share from 0 to `most`.
double read_share(const Config& config, std::string_view key, double most, double fallback);

// A factor of rates: above 0, at most 1.
double read_rate_factor(const Config& entry);

}  // namespace a3sim
