#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "models/worker_kinds.h"
#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Values that are laid over a configuration together, under a name: `path.to.key=value`, as `--set` takes them.
struct NamedSettings {
  std::string name;
  std::vector<std::string> settings;
};

// What a search decides by configuration keys: one of these. The first is always the configuration as it is.
struct SearchDecision {
  std::string name;
  std::vector<NamedSettings> values;
};

// A sort key of a queue, one of these; an empty one leaves it out.
struct KeyTerm {
  std::string name;
  std::vector<std::string> keys;
};

// What a search may change, and where it looks (configs/spaces/).
struct SearchSpace {
  std::string name;                    // the file's, without its ending
  std::vector<std::string> workloads;  // whose default it is
  // By unit: the terms that sort its tasks, in any order; none: its keys stay those of an order to start from.
  std::array<std::vector<KeyTerm>, kCoreUnits> terms;
  std::vector<SearchDecision> decisions;
  // Cheaper runs that a candidate must do well in first.
  std::vector<NamedSettings> rungs;
  // Conditions that decide between candidates, and others in which the winner is judged.
  std::vector<NamedSettings> training, held_out;
};

// Reads a space. Throws InputError with all that is wrong with it, a line each, with file:line:column.
SearchSpace read_space(const std::filesystem::path& file);
// What stands in the file of that name; what is wrong is noted.
SearchSpace read_space(const Config& root, const std::filesystem::path& file);

// The shipped space for an experiment's workload: the first that names it, else `any`.
std::filesystem::path default_space(const Experiment& experiment);

}  // namespace a3sim
