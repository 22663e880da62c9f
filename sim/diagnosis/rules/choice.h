#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/slowdown.h"

namespace a3sim {

// Returns those candidates for one slowdown that hold. A cause rules out its consequences: a rank that waits
// for its host neither computes nor sends, and a rank with more rows does more of everything. Of the others,
// the cause that explains most holds. `lag` is the time that a slow step takes longer, as a part of a usual
// step.
std::vector<Finding> choose(std::vector<Finding> candidates, double lag);

// Returns whether two findings name a rank in common, or none at all.
bool share_place(const Finding& a, const Finding& b);

// Returns a threshold of a cause.
using RuleLimits = std::function<double(std::string_view cause, std::string_view threshold)>;

// Returns why causes that were not chosen are ruled out: those whose own limit was not reached.
std::vector<RuledOut> ruled_out(const Slowdown& slowdown, const Finding& finding,
                                const std::vector<Finding>& chosen, const RuleLimits& limits);

// Merges findings of one cause and place in consecutive steps, those of hosts that are late by chance, now these
// and now those, those of ports that look steadily slow in some of the steps in which they come and go, and
// those of one cause that moves from rank to rank. Returns them in descending order of total cost.
std::vector<Finding> join(std::vector<Finding> findings);

}  // namespace a3sim
