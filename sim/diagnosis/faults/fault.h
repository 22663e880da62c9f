#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/config/share.h"
#include "sim/core/registry.h"
#include "sim/runtime/hosts/host_options.h"
#include "sim/runtime/link_disturbances.h"

namespace a3sim {

// The changes that faults make to one step of a job, in addition to its configuration. No other part of the
// simulation knows about faults.
struct StepConditions {
  // An operator that is slower on a rank.
  struct SlowOperator {
    std::uint32_t rank = 0;
    std::string name;
    double factor = 1;  // multiplies the tasks' own times
  };

  std::vector<double> clock, hbm;  // one factor per rank for the hardware's rates
  std::vector<Duration> late;      // one delay per rank of its start of the step
  LinkDisturbances links;
  std::vector<SlowOperator> operators;
  std::vector<HostStep> hosts;                            // one entry per rank
  std::vector<std::pair<std::string, std::string>> sets;  // keys and values that override the configuration

  StepConditions(std::uint32_t ranks, const DataOptions& data)
      : clock(ranks, 1), hbm(ranks, 1), late(ranks), hosts(ranks) {
    for (HostStep& host : hosts) host.data = data;
  }
};

// The facts about a job that readers of faults need.
struct FaultSite {
  std::uint32_t ranks = 1;
  std::vector<std::string> planes;     // in the hardware's order
  std::vector<bool> used;              // one entry per plane: true if any two ranks use it
  std::vector<std::string> operators;  // operators of all passes
  std::uint64_t seed = 1;              // seed of what faults draw
  CablePlanes cables{};                // the planes that consist of more than ports
};

// A fault of a job. It is active in some of its steps.
struct Fault {
  // Changes the conditions of a step in the fault's window.
  std::function<void(const Fault&, std::uint32_t step, StepConditions&)> disturb;

  std::string kind{}, text{};  // text: the entry as written, on one line
  std::vector<std::uint32_t> ranks{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links{};  // from, to
  std::vector<std::string> operators{};
  std::vector<std::string> cables{};      // one way each: "leaf3->spine1"
  std::uint32_t first = 0, last = kNone;  // steps, inclusive
  std::uint64_t seed = 0;

  bool in(std::uint32_t step) const { return first <= step && step <= last; }
};

// A kind of fault, registered by name; one file defines one kind or a few that are read alike. `ranks` and
// `steps` are read for every kind.
struct FaultKind {
  static constexpr std::string_view kKind = "fault";
  std::string_view example;  // an entry as it is written in a list of faults
  // Reads the kind's own keys. Errors are noted in the entry's Diagnostics.
  Fault (*read)(const Config& entry, const FaultSite& site);
  bool of_ranks = true;  // it has the key `ranks`: `all` or a list
};
using FaultKinds = Registry<FaultKind>;

// The random variation of durations and rates from step to step. It is uniform within the given spread.
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

// Reads the blocks `noise` and `faults` into `injection`, and notes errors. A later file's noise replaces an
// earlier one.
void read_injection(const Config& root, FaultSite site, Injection& injection);

// Reads a factor of a rate: above 0, at most 1.
double read_rate_factor(const Config& entry);

}  // namespace a3sim
