#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "traces/observation.h"

namespace a3sim {

// What the public thresholds of the vendor's analysis tool (msprof-analyze 8399c1c) say of full records alone, without
// history, reference or comparison at equal work: causes with their ranks.
std::set<std::pair<std::string, std::uint32_t>> vendor_findings(const Observation& of);

}  // namespace a3sim
