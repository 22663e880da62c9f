#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/study/faults/conditions.h"

namespace a3sim {

// What the readers of faults have to know of the job.
struct FaultSite {
  std::uint32_t ranks = 1;
  std::vector<std::string> planes;     // in the hardware's order
  std::vector<bool> used;              // by plane: two ranks meet over it
  std::vector<std::string> operators;  // of all passes
  std::uint64_t seed = 1;              // of what faults draw
};

// Something that is wrong with a job in some of its steps.
class Fault {
 public:
  virtual ~Fault() = default;
  // What it does to a step that lies in its window.
  virtual void disturb(std::uint32_t step, StepConditions& conditions) const = 0;

  std::string kind, text;  // as it was written, on one line
  std::vector<std::uint32_t> ranks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // from, to
  std::vector<std::string> operators;
  std::uint32_t first = 0, last = kNone;  // steps, inclusive
  std::uint64_t seed = 0;                 // of its own

  bool in(std::uint32_t step) const { return first <= step && step <= last; }
};

// A kind of faults; one file each, registered by its name. `ranks` and `steps` are read for all kinds.
class FaultKind {
 public:
  static constexpr std::string_view kKind = "fault";
  virtual ~FaultKind() = default;
  // An example, as it stands in a list of faults.
  virtual std::string_view example() const = 0;
  // Whether it is of ranks: `ranks: all`, or a list.
  virtual bool of_ranks() const { return true; }
  // Reads what is its own; what is wrong is noted.
  virtual std::unique_ptr<Fault> read(const Config& entry, const FaultSite& site) const = 0;
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
  std::vector<std::unique_ptr<Fault>> faults;

  StepConditions conditions(std::uint32_t step, std::uint32_t ranks, const DataOptions& data) const;
};

// Adds what the blocks `noise` and `faults` say; notes what is wrong with them. A file's noise replaces that before.
void read_injection(const Config& root, FaultSite site, Injection& injection);

// "2 %" as 0.02: a share from 0 to `most`.
double read_share(const Config& config, std::string_view key, double most);
double read_share(const Config& config, std::string_view key, double most, double fallback);

// A factor of rates: above 0, at most 1.
double read_rate_factor(const Config& entry);

}  // namespace a3sim
