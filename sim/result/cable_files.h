#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/units.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/runtime/cable_use.h"
#include "traces/trace.h"

namespace a3sim {

// Return cables_PASS.csv and cable_traffic_PASS.csv: the load of a recorded pass's cables over time, and
// whose bytes these were.
std::string cables_csv(const std::vector<CableUse>& cables, Duration makespan);
std::string cable_traffic_csv(const std::vector<CableUse>& cables);

// Adds these two of a pass, and links_PASS.csv where its trace blames cables; none where no plane has cables.
void add_cable_files(const std::string& pass, const Trace& trace, const std::vector<CableUse>& cables,
                     std::vector<NamedFile>& files);

// Read the files into the cables with their names; other cables are skipped. Throw InputError with file and
// line.
void read_cables_csv(std::string_view csv, const std::string& file, std::vector<CableUse>& cables);
void read_cable_traffic_csv(std::string_view csv, const std::string& file, std::vector<CableUse>& cables);

}  // namespace a3sim
