#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runtime/cable_use.h"
#include "traces/analysis/pass_sums.h"
#include "traces/trace.h"

namespace a3sim {

// A result directory of `a3sim run -o`, read back.
struct SavedRun {
  std::filesystem::path directory;
  std::string name, version;  // of the experiment; of the a3sim that ran it
  std::vector<TracedPass> passes;
  // One entry per pass, if the run was written without tasks (no `--trace`). The passes then have no tasks.
  std::vector<PassSums> sums;
  // The most used cables of each pass, sorted by use. Empty if no plane has cables.
  std::vector<std::vector<CableUse>> cables{};

  std::filesystem::path configuration() const { return directory / "resolved.yaml"; }
};

// Tells read_run() what to do with a run that was written without tasks.
enum class Tasks : std::uint8_t { kNeeded, kIfThere };

// Reads the pass of this name; all passes if the name is empty. The kind of the directory
// (result_directory.h) must have been checked. Throws InputError with file, line and column if a part is
// missing, cut off or contradictory, and, if tasks are needed but were not written, with the command that
// writes them.
SavedRun read_run(const std::filesystem::path& directory, std::string_view pass,
                  Tasks tasks = Tasks::kNeeded);

// Returns that command as a sentence.
std::string how_to_trace(const std::filesystem::path& directory);

}  // namespace a3sim
