#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "traces/rules/host_lag.h"

namespace a3sim {

// Launches that take long: regular ones are the host's own, irregular ones somebody else's on the node. `irregular`:
// standard deviation over mean of their lengths from which they are.
std::vector<Finding> judge_launches(const Case& of, const RuleData& data, bool want_irregular);

// By rank lengths of its launches: their standard deviation around each rank's mean, over that.
double spread_of_lengths(const std::map<std::uint32_t, std::vector<double>>& lengths);

}  // namespace a3sim
