#pragma once

#include <vector>

#include "sim/diagnosis/rules/case.h"
#include "sim/diagnosis/rules/finding.h"

namespace a3sim {

// Of what rules said of one case, what holds: a cause that others follow from rules these out (who waits for its host
// neither computes nor sends; more rows are more of everything), then what explains most.
std::vector<Finding> choose(std::vector<Finding> candidates);

// What speaks against causes that were not chosen.
std::vector<RuledOut> ruled_out(const Case& of, const Finding& finding, const std::vector<Finding>& chosen);

// Findings of one cause and place in steps that follow one another, as one; of one cause that goes from rank to rank in
// the same steps, too. What costs most in all comes first.
std::vector<Finding> join(std::vector<Finding> findings);

}  // namespace a3sim
