#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim/experiment/experiment.h"
#include "sim/result/saved_run.h"

namespace a3sim {

// Returns what was simulated, in the words of the runs' summaries: model, routing, machine, program,
// schedule, version. Runs share a line; lines follow for what they do not share.
std::string subtitle_of(std::span<const SavedRun> runs);

// Returns what a resolved configuration says of it in short; empty if there is no such file.
std::string subtitle_of(const std::filesystem::path& configuration);

// Returns the same of an experiment.
std::string subtitle_of(const Experiment& experiment);

}  // namespace a3sim
