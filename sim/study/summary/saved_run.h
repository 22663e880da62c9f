#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "traces/trace.h"

namespace a3sim {

// What `a3sim run -o` leaves behind, read back.
struct SavedRun {
  std::filesystem::path directory;
  std::string name, version;  // of the experiment; of the a3sim that ran it
  std::vector<TracedPass> passes;

  std::filesystem::path configuration() const { return directory / "resolved.yaml"; }
};

// The directory's kind (result_directory.h) has been checked. Only the pass of this name, or all of them for
// none. Throws InputError with file, line and column for what is missing, cut off or contradicts itself.
SavedRun read_run(const std::filesystem::path& directory, std::string_view pass);

}  // namespace a3sim
