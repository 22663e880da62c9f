#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "models/worker_kinds.h"
#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Named values that are laid over a configuration together: `path.to.key=value`, as `--set` takes them.
struct NamedSettings {
  std::string name;
  std::vector<std::string> settings;
};

// A choice of one of several settings. The first is always the configuration as it is.
struct SearchDecision {
  std::string name;
  std::vector<NamedSettings> values;
};

// A sort key of a queue: one of `keys`. An empty key leaves it out.
struct KeyTerm {
  std::string name;
  std::vector<std::string> keys;
};

// Lists what a search may change, and the conditions in which candidates run (configs/spaces/).
struct SearchSpace {
  std::string name;                    // the file's name without its ending
  std::vector<std::string> workloads;  // workloads that use it by default
  // One entry per unit: the terms that sort its tasks, in any order. Empty: its keys are those of a start.
  std::array<std::vector<KeyTerm>, kCoreUnits> terms;
  std::vector<SearchDecision> decisions;
  // Cheaper runs that a candidate must pass first.
  std::vector<NamedSettings> rungs;
  // Conditions that decide between candidates, and conditions that judge the winner.
  std::vector<NamedSettings> training, held_out;
};

// Reads a space. Throws InputError with all that is wrong with it, a line each, with file:line:column.
SearchSpace read_space(const std::filesystem::path& file);
// Reads the content of the file with that name. Notes errors in the configuration's diagnostics.
SearchSpace read_space(const Config& root, const std::filesystem::path& file);

// Returns the shipped space of an experiment's workload: the first that names it, else `any`.
std::filesystem::path default_space(const Experiment& experiment);

}  // namespace a3sim
