#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/analysis/worker_time.h"
#include "traces/report/report.h"

namespace a3sim {

// Sums of a pass's times, for passes without tasks.
struct PassSums {
  // Sums over all workers of one kind on a rank. The rest of their time is scheduling.
  struct Workers {
    Duration busy{}, waited{}, idle{};
  };
  std::vector<OperatorStats> operators;       // without times
  std::vector<std::vector<Workers>> workers;  // by rank, then by kind
};

// Reports these sums, and which operators left in the L2 what others read there. `trace` has no tasks.
// Shows the workers of `rank` (kNone: all).
Report sums_report(const std::string& pass, const Trace& trace, const PassSums& sums, std::uint32_t rank);

// Adds which operators found in the L2 what others had left there.
void add_reuse(Report& report, const Trace& trace);

}  // namespace a3sim
