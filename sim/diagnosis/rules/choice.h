#pragma once

#include <vector>

#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/slowdown.h"

namespace a3sim {

// Returns the findings that hold among those of one slowdown. A cause rules out what follows from it: a rank
// that waits for its host neither computes nor sends, and a rank with more rows does more of everything. Then
// the cause that explains most holds.
std::vector<Finding> choose(std::vector<Finding> candidates);

// Returns why each cause that was not chosen is ruled out.
std::vector<RuledOut> ruled_out(const Slowdown& slowdown, const Finding& finding,
                                const std::vector<Finding>& chosen);

// Merges findings of one cause and place in consecutive steps, and findings of one cause that moves from rank
// to rank in the same steps. Returns them in descending order of total cost.
std::vector<Finding> join(std::vector<Finding> findings);

}  // namespace a3sim
