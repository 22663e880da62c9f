#pragma once

#include <string>
#include <vector>

namespace a3sim {

// Returns the page of these results: directories of runs and profiles, shown side by side; one database of
// sweeps; or the result of a search or a trial of an order. Throws InputError if they are none of these.
std::string report_page(const std::vector<std::string>& results);

}  // namespace a3sim
