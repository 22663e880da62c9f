#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "traces/observation.h"

namespace a3sim {

using VendorFindings = std::set<std::pair<std::string, std::uint32_t>>;  // causes with their ranks

// Applies the public thresholds of the vendor's analysis tool (msprof-analyze 8399c1c) to full records alone:
// without history, reference, or comparison at equal work.
VendorFindings vendor_findings(const Observation& observation);

}  // namespace a3sim
