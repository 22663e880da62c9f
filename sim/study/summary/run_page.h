#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/study/summary/saved_run.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Names for directories: their last parts, or the whole where these are equal.
std::vector<std::string> distinct_names(const std::vector<std::filesystem::path>& directories);

// One or more saved runs as a page: the answer, timelines, what time went into, L2, roofline, how the runs
// differ from the first. A run without its tasks has no timeline, and the page says how to write them.
void add_saved_runs(Page& page, std::span<const SavedRun> runs);

}  // namespace a3sim
