#pragma once

#include <vector>

#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/slowdown.h"
#include "sim/diagnosis/rules/steady_state.h"

namespace a3sim {

// Returns the ports and paths that are slower than usual by the factor `slow` or more, the slowest first.
std::vector<SlowLink> slow_links(const Slowdown& slowdown, double slow);
// Returns the ports and paths that are slower than others in the same exchanges, each side of a port
// separately. Compares the rate of each put with the median of its operator, pass and plane; where a profile has none, the sums
// of its communication_matrix.json with the median of their kind.
std::vector<SlowLink> slow_links(const SteadyState& job, double slow);

// Returns a finding with ranks, links, side, factor, the slowest put, and what ports carry while they are busy.
Finding finding_of(const Slowdown& slowdown, const SlowLink& link, double threshold);
// Returns the same with the lost time. Without the fault, `factor` of the time in which a rank communicates
// and computes nothing would be left.
Finding finding_of(const SteadyState& job, const SlowLink& link, double threshold);

// Returns a finding for all ranks. Without the loss, `part` of the time in which a rank communicates and
// computes nothing would be left.
Finding finding_of_transfers(const SteadyState& job, double part);

// Returns the part of the lag that slow transfers can explain: the growth of transfer time, but no more than what
// the growth of computing time leaves of a rank's lag. Ranks that compute longer do not count against others.
double communication_share(const Slowdown& slowdown);

}  // namespace a3sim
