#pragma once

#include <cstdint>
#include <vector>

#include "sim/diagnosis/rules/case.h"
#include "sim/diagnosis/rules/standing.h"

// How the operators of ranks compare with what is usual, and with those of other ranks.
namespace a3sim {

// Time that computing ranks lost: by operator of a rank, in ps of the rank and step.
struct RankOperators {
  std::uint32_t rank = 0;
  std::vector<const OperatorLag*> lags;  // of its computing operators
  double steps = 0;                      // recorded steps of it
};
// By rank that was recorded; only operators that compute.
std::vector<RankOperators> computing(const Case& of);

// Ranks that were not recorded and whose cores are busier than usual by as much as those of `like`, and these.
std::vector<std::uint32_t> busy_alike(const Case& of, std::vector<std::uint32_t> like);

// How a rank's operators compare with those of other ranks at equal work.
struct RankBeside {
  std::uint32_t rank = 0;
  double arithmetic = 0,
         usual_arithmetic = 0;           // of matrix operators, in ps of their workers; the ranks' median
  double lost_arithmetic = 0, lost = 0;  // ps of the rank: by arithmetic, in all
  // Operators whose arithmetic is as that of others, and whose rest is more than `slower` of theirs.
  std::uint32_t slow_rests = 0;
  double lost_rest = 0, most_rest = 0;  // ps of the rank: all of them, the one that lost most
  double slowest = 1;                   // the highest multiple
  const OperatorRecord *longest = nullptr, *worst = nullptr;
};
// By rank that was recorded; nothing where fewer than three ranks have equal work.
std::vector<RankBeside> ranks_beside(const Standing& of, double arithmetic, double slower);

}  // namespace a3sim
