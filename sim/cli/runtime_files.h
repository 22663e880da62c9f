#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/cli/config_option.h"

// The public runtime's schedule files on the command line.
namespace a3sim {

// `import`: files of a job's ranks, and the experiment that they are of.
struct RuntimeImportOptions : OverrideOptions {
  std::string config;
  void add_to(CLI::App& app);
};

// Whether all of these are such files, or directories that hold some, by name: runtime_config_rank_N.bin.
bool are_runtime_files(const std::vector<std::string>& paths);

// Writes the files' schedules into a result directory, as `a3sim compile` would.
void import_runtime_files(const std::vector<std::string>& paths, const RuntimeImportOptions& options,
                          const std::string& directory);

// Writes schedules, compiled ones or a configuration's, as the runtime's files: a folder a pass, a file a rank.
void export_runtime_files(const std::vector<std::string>& schedules, const std::string& directory);

}  // namespace a3sim
