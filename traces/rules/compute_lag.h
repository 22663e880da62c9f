#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traces/rules/case.h"
#include "traces/rules/finding.h"

namespace a3sim {

// Time that computing ranks lost: by operator of a rank, in ps of the rank and step.
struct RankOperators {
  std::uint32_t rank = 0;
  std::vector<const OperatorLag*> lags;  // of its computing operators
  double steps = 0;                      // recorded steps of it

  // The sum of what `of` says of each, a step.
  double sum(const std::function<double(const OperatorLag&)>& of) const;
};
// By rank that was recorded; only operators that compute.
std::vector<RankOperators> computing(const Case& of);

// Ranks that were not recorded and whose cores are busier than usual by as much as those of `like`, and these.
std::vector<std::uint32_t> busy_alike(const Case& of, std::vector<std::uint32_t> like);

// Time lost on the rank's own work, host and waits left out: of AICs, of AIVs.
double lost_on_cores(const Case& of, std::uint32_t rank);

}  // namespace a3sim
