#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/worker_kinds.h"
#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"
#include "sim/search/candidate.h"

namespace a3sim {

// Named values that are laid over a configuration together: `path.to.key=value`, as `--set` takes them.
struct NamedSettings {
  std::string name;
  std::vector<std::string> settings;
};

// A choice of one of several settings. The first is always the configuration as it is.
struct SearchDecision {
  std::string name;
  std::string pass;  // the only pass that it concerns; empty: all
  std::vector<NamedSettings> values;
};

// A sort key of a queue: one of `keys`. An empty key leaves it out.
struct KeyTerm {
  std::string name;
  std::vector<std::string> keys;
};

// A candidate that is tried before all others: terms of queues and values of decisions. All else is as in the best start.
struct SearchSeed {
  std::string name;
  std::array<std::optional<QueueGenes>, kCoreUnits> queues;    // one per unit, for all parts of a problem
  std::vector<std::pair<std::size_t, std::uint8_t>> settings;  // decision, value
};

// Returns terms with the meaning of these sort keys, or nullopt if there are none.
std::optional<QueueGenes> genes_saying(const std::vector<KeyTerm>& terms,
                                       const std::vector<std::string>& keys);

// Lists what a search may change, and the conditions in which candidates run (configs/spaces/).
struct SearchSpace {
  std::string name;                    // the file's name without its ending
  std::vector<std::string> workloads;  // workloads or graphs that use it by default
  // One entry per unit: the terms that sort its tasks, in any order. Empty: its keys are those of a start.
  std::array<std::vector<KeyTerm>, kCoreUnits> terms;
  std::vector<SearchDecision> decisions;
  std::vector<SearchSeed> seeds;
  // Cheaper runs that a candidate must pass first.
  std::vector<NamedSettings> rungs;
  // Conditions that decide between candidates, and conditions that judge the winner.
  std::vector<NamedSettings> training, held_out;
};

// Reads a space. Throws InputError with all that is wrong with it, a line each, with file:line:column.
SearchSpace read_space(const std::filesystem::path& file);
// Reads the content of the file with that name. Notes errors in the configuration's diagnostics.
SearchSpace read_space(const Config& root, const std::filesystem::path& file);

// Returns the name of an experiment's workload, or that of its graph if this is the workload.
std::string workload_of(const Experiment& experiment);

// Returns the shipped space of what workload_of() names: the first that names it, else `any`.
std::filesystem::path default_space(const Experiment& experiment);

}  // namespace a3sim
