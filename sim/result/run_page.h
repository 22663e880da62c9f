#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/result/saved_run.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Returns names for directories: their last parts, or whole paths if these are equal.
std::vector<std::string> distinct_names(const std::vector<std::filesystem::path>& directories);

// Adds saved runs to a page: the answer, timelines, use of time, L2, roofline, and differences to the first
// run. A run without tasks has no timeline; the page says how to write tasks.
// Runs variations of traced ones on so many threads (verdict/gains.h).
void add_saved_runs(Page& page, std::span<const SavedRun> runs, unsigned threads);

}  // namespace a3sim
