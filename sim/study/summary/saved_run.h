#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runtime/cable_use.h"
#include "traces/analysis/pass_sums.h"
#include "traces/trace.h"

namespace a3sim {

// What `a3sim run -o` leaves behind, read back.
struct SavedRun {
  std::filesystem::path directory;
  std::string name, version;  // of the experiment; of the a3sim that ran it
  std::vector<TracedPass> passes;
  // By pass, where the run was written without its tasks (`--trace`), which the passes lack then.
  std::vector<PassSums> sums;
  // By pass: the cables that carried most, by their use; none where no plane has cables.
  std::vector<std::vector<CableUse>> cables{};

  std::filesystem::path configuration() const { return directory / "resolved.yaml"; }
};

// What a reader does with a run that was written without its tasks.
enum class Tasks : std::uint8_t { kNeeded, kIfThere };

// The directory's kind (result_directory.h) has been checked. Only the pass of this name, or all of them for
// none. Throws InputError with file, line and column for what is missing, cut off or contradicts itself, and
// with the command that writes them where there are no tasks and they are needed.
SavedRun read_run(const std::filesystem::path& directory, std::string_view pass,
                  Tasks tasks = Tasks::kNeeded);

// That command, as a sentence.
std::string how_to_trace(const std::filesystem::path& directory);

}  // namespace a3sim
