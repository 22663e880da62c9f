#pragma once

#include <string>
#include <vector>

#include "traces/analysis/critical_path.h"
#include "traces/report/report.h"

namespace a3sim {

// What a stretch of a critical path lost to links, by what held its puts up: each of Trace::links, and last, what none of
// them accounts for: ports.
std::vector<Duration> link_times(const Trace& trace, const CriticalPath& path, Duration from, Duration to);

// What a stretch that lost most of its time to links lost it to: a cable or the cables of a switch that account for half of
// that, "several cables", or "link" where ports account for more.
std::string link_name(const Trace& trace, const CriticalPath& path, Duration from, Duration to);

// Adds what the path and all puts lost to each of Trace::links; nothing where there are none.
void add_links(Report& report, const Trace& trace, const CriticalPath& path);

}  // namespace a3sim
