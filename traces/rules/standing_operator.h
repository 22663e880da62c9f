#pragma once

#include <vector>

#include "traces/rules/finding.h"
#include "traces/rules/rule_data.h"
#include "traces/rules/slow_operator.h"
#include "traces/rules/standing.h"

namespace a3sim {

// How near an operator of a rank is to what the machine allows.
struct RoofPart {
  Roof roof = Roof::kNeither;  // that limits it: of the memory also where it is that of the L2
  double reached = 0;          // of the nearer roof; 0: no roof is known
};
// `used`: the part of a roof from which on it is the limit.
RoofPart roof_part(const Standing& of, const Standing::Operator& op, double used);

// Operators that `roof` limits, or (neither) that are far from both, in one finding. What they lose is their exposed time
// above what the nearer roof allows at `used`; at a roof it is nothing, and the finding is for information.
std::vector<Finding> standing_operators(const Standing& of, const RuleData& data, Roof roof);

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
