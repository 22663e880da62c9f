#pragma once

#include <filesystem>
#include <span>

#include "sim/experiment/run/run_outcome.h"
#include "sim/result/report.h"

namespace a3sim {

// Writes the directory of a run: its configuration, summary, JSON with sums and, if `traced`, each task.
void keep_run(const Experiment& experiment, const std::filesystem::path& directory, const RunSummary& summary,
              std::span<const RunOutcome> passes, bool traced);

}  // namespace a3sim
