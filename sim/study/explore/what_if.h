#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/bounds.h"
#include "sim/experiment/machine_part.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/noise.h"
#include "traces/report/report.h"

namespace a3sim {

// What an experiment would gain from a better machine, one part at a time.
struct WhatIf {
  // Of all passes, one after the other.
  struct Outcome {
    std::vector<Latencies> passes;  // by pass, by run
    Latencies totals;               // by run
    std::array<Duration, kBounds> bounds{};
    Duration total() const { return median_of(totals); }
  };
  struct Row {
    const MachinePart* part;
    std::string name;  // the part's; of workers, with how many there are and would be, and the share
    Outcome better;    // 10 % better
    std::optional<Outcome> free;  // and free, where that means anything
  };
  std::vector<std::string> passes;  // their names
  Outcome now;
  std::vector<Row> rows;  // what gains most by 10 % first, then what gains most if free

  // The part of the latency that an outcome saves, run by run; negative: it takes longer.
  MedianInterval gain(const Outcome& outcome) const;
};

// Rates, sizes and numbers of workers a tenth larger (workers are then rounded up), times a tenth of the new
// value shorter (divided by 1.1). The schedules stay those of the machine as it is; another number of workers
// has its own. All are run under the same jitter. Throws as run_experiment() does.
WhatIf what_if(const Experiment& experiment, const JitterOptions& jitter, unsigned threads);

// All parts for programs; for people those that change anything, and in the last line what binds.
Report what_if_report(const Experiment& experiment, const WhatIf& result, const JitterOptions& jitter);

}  // namespace a3sim
