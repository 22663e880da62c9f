#pragma once

#include <cstdint>
#include <vector>

#include "sim/diagnosis/rules/slowdown.h"
#include "sim/diagnosis/rules/steady_state.h"

namespace a3sim {

// The computing operators of a rank, and the time that each lost, in ps per rank and step.
struct RankOperators {
  std::uint32_t rank = 0;
  std::vector<const OperatorLag*> lags;  // computing operators only
  double steps = 0;                      // recorded steps of the rank
};
// Returns an entry for each recorded rank.
std::vector<RankOperators> computing(const Slowdown& slowdown);

// Returns `like`, and those unrecorded ranks whose cores are busier than usual by as much as those of `like`.
std::vector<std::uint32_t> busy_alike(const Slowdown& slowdown, std::vector<std::uint32_t> like);

// Compares a rank's operators with those of other ranks that have equal work.
struct RankBeside {
  std::uint32_t rank = 0;
  double arithmetic = 0;                 // matrix operators, in ps of their workers
  double usual_arithmetic = 0;           // median of the ranks' `arithmetic`
  double lost_arithmetic = 0, lost = 0;  // ps of the rank: lost by arithmetic, and in total
  // Operators whose arithmetic takes as long as on other ranks, but whose remaining time is more than
  // `slower` times as long.
  std::uint32_t slow_rests = 0;
  // In ps of the rank: over all such operators, and of the one that lost most.
  double lost_rest = 0, most_rest = 0;
  double slowest = 1;  // the highest ratio
  const OperatorRecord *longest = nullptr, *worst = nullptr;
};
// Returns an entry for each recorded rank, or none if fewer than three ranks have equal work.
std::vector<RankBeside> ranks_beside(const SteadyState& job, double arithmetic, double slower);

}  // namespace a3sim
