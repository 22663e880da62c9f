#pragma once

#include <span>
#include <string>

#include "sim/study/summary/saved_run.h"

namespace a3sim {

// Returns what was simulated, in the words of the runs' summaries: model, routing, machine, program,
// schedule, version. Runs share a line; lines follow for what they do not share.
std::string subtitle_of(std::span<const SavedRun> runs);

}  // namespace a3sim
