#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/variation/cable_level.h"
#include "sim/variation/difference_table.h"
#include "traces/report/report.h"

namespace a3sim {

// The gains of an experiment from a better machine, one part at a time.
struct WhatIf {
  using Outcome = VariedOutcome;
  struct Row {
    const MachinePart* part;
    std::string name;             // the part's name; for workers also their numbers and the share
    Outcome better;               // with the part 10 % better
    std::optional<Outcome> free;  // with the part free, if that makes sense
  };
  struct Level : CableLevel {
    Outcome twice, tenth;  // all of its cables at twice and at a tenth of their rates
  };
  std::vector<std::string> passes;  // their names
  Outcome now;
  std::vector<Row> rows;      // by gain from 10 %, then by gain if free; the largest first
  std::vector<Level> levels;  // from the hosts up; none where no plane has a topology

  // Returns the share of the latency that an outcome saves, run by run. Negative: it takes longer.
  MedianInterval gain(const Outcome& outcome) const;
};

// The result after so many of the jitter's runs.
using WhatIfSink = std::function<void(const WhatIf& so_far, std::uint32_t runs)>;

// Runs the experiment with each part better: rates, sizes and numbers of workers times 1.1 (workers are
// rounded up), times divided by 1.1. Schedules stay the same, except for other numbers of workers. Each level of
// cables is also made twice as fast, and a tenth. All runs have the same jitter; a part that changes nothing in
// the first run is not run again. Calls `seen` after each run but the last. Throws as run_experiment() does, and
// RunError if a part cannot be made better.
WhatIf what_if(const Experiment& experiment, const JitterOptions& jitter, unsigned threads,
               const WhatIfSink& seen = {});

// Reports all parts for programs; for people only those that change anything, and in the last line what
// limits the experiment.
Report what_if_report(const Experiment& experiment, const WhatIf& result, const JitterOptions& jitter);

}  // namespace a3sim
