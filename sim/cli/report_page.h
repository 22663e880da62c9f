#pragma once

#include <string>
#include <vector>

namespace a3sim {

// What stands after `report` and `view`: result directories of runs, which are shown beside each other, or
// one database of sweeps.
std::string report_page(const std::vector<std::string>& results);

}  // namespace a3sim
