#pragma once

#include <string>
#include <vector>

#include "traces/analysis/critical_path.h"
#include "traces/report/report.h"

namespace a3sim {

// Returns the time that part of a critical path lost to links: an entry for each of Trace::links, and a
// last one for ports, which have the rest.
std::vector<Duration> link_times(const Trace& trace, const CriticalPath& path, Duration from, Duration to);

// Names what a stretch lost most of its link time to: a cable, or the cables of a switch, with at least
// half of it; else "several cables", or "link" if ports have more.
std::string link_name(const Trace& trace, const CriticalPath& path, Duration from, Duration to);

// Adds what the path and all puts lost to each of Trace::links. Adds nothing if there are none.
void add_links(Report& report, const Trace& trace, const CriticalPath& path);

}  // namespace a3sim
