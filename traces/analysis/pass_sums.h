#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/analysis/worker_time.h"
#include "traces/report/report.h"

namespace a3sim {

// What is known of a pass without its tasks: sums of their times.
struct PassSums {
  // Of all of a rank's workers of a kind; what is none of them is scheduling.
  struct Workers {
    Duration busy{}, waited{}, idle{};
  };
  std::vector<OperatorStats> operators;       // without dates
  std::vector<std::vector<Workers>> workers;  // by rank and kind
};

// Tables of these, and of who left in the L2 what others read there. `trace` has no tasks; `rank` (all: kNone)
// chooses whose workers are told.
Report sums_report(const std::string& pass, const Trace& trace, const PassSums& sums, std::uint32_t rank);

// Who read in the L2 what whom had left there.
void add_reuse(Report& report, const Trace& trace);

}  // namespace a3sim
