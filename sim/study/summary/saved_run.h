#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/experiment.h"
#include "traces/trace.h"

namespace a3sim {

// A pass of a run that was written into a directory.
struct SavedPass {
  std::string name;
  Trace trace;
};

// What `a3sim run -o` leaves behind, read back.
struct SavedRun {
  std::filesystem::path directory;
  nlohmann::json result;  // result.json
  std::vector<SavedPass> passes;

  std::filesystem::path configuration() const { return directory / "resolved.yaml"; }
};

// The directory's kind (result_directory.h) has been checked. Only the pass of this name, or all of them for
// none. Throws InputError with file, line and column for what is missing, cut off or contradicts itself.
SavedRun read_run(const std::filesystem::path& directory, std::string_view pass);

// What a run that kept records would leave behind, of each pass.
std::vector<Trace> traces_of(const Experiment& experiment, std::span<const PassResult> passes);

// One pass of a result and the CSV of its tasks; `file` stands for result.json in messages, `csv_name` for
// the other.
Trace read_trace(const nlohmann::json& result, const nlohmann::json& pass, const std::string& file,
                 std::string_view csv, const std::string& csv_name);

}  // namespace a3sim
