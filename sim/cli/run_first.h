#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/core/temporary_directory.h"

namespace a3sim {

// A result that a command was given: its directory, or an experiment in its place, which is run first with all its tasks. Such
// a run is kept as long as this lives.
class GivenResult {
 public:
  // `set` overrides values of an experiment. Throws InputError if `given` is neither.
  GivenResult(const std::string& given, const std::vector<std::string>& set, unsigned threads);
  // Runs an experiment.
  GivenResult(const ConfigOption& config, unsigned threads);

  const std::filesystem::path& directory() const { return directory_; }
  bool was_run() const { return kept_ != nullptr; }

 private:
  struct Kept {
    InterruptsHeeded heeded;  // must outlive the directory, which an interruption removes
    TemporaryDirectory directory{"run"};
  };
  std::unique_ptr<Kept> kept_;
  std::filesystem::path directory_;
};

// Runs an experiment and keeps it in a directory, with all its tasks.
void run_into(const std::filesystem::path& directory, const ConfigOption& config,
              const Experiment& experiment, unsigned threads);

// Adds `--set KEY=VALUE`, for experiments in place of results.
void add_set(CLI::App& app, std::vector<std::string>& set);
// Throws InputError if values are set and no result was an experiment.
void check_set(const std::vector<std::string>& set, bool any_was_run);

// Returns whether a name is that of an experiment rather than of a result: a YAML file, or nothing that exists.
bool names_experiment(const std::string& given);

}  // namespace a3sim
