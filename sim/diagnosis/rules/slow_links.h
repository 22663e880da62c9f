#pragma once

#include <vector>

#include "sim/diagnosis/rules/case.h"
#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/standing.h"

namespace a3sim {

// Where transfers are slower than usual, the slowest first. `slow`: the factor from which on one is.
std::vector<SlowLink> slow_links(const Case& of, double slow);
// The ports and ways on which bytes flow more slowly than elsewhere in the same exchanges, each side of a port by
// itself. Rates are compared within one operator, pass and plane, each put with the median of its kind.
std::vector<SlowLink> slow_links(const Standing& of, double slow);

// What a finding of a place says: ranks, links, side, factor and the slowest put.
Finding finding_of(const Case& of, const SlowLink& link, double threshold);
// What it loses: of the time in which a rank communicates and computes nothing, `factor` would be left.
Finding finding_of(const Standing& of, const SlowLink& link, double threshold);

// A finding of all ranks: of the time in which a rank communicates and computes nothing, `part` is what would be left.
Finding finding_of_transfers(const Standing& of, double part);

// The part of the lag that slow transfers can explain: what transfers take longer, and what computing does not.
double communication_share(const Case& of);

}  // namespace a3sim
