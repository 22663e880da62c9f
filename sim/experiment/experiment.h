#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/config/model_config.h"
#include "models/graph/ffn_form.h"
#include "models/graph/graph.h"
#include "models/routing/routing.h"
#include "scheduler/compile/compile.h"
#include "sim/core/config/config.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/experiment/work.h"
#include "sim/network/network.h"
#include "sim/runtime/run_options.h"

namespace a3sim {

// The sizes in which a pass differs from `cut` (cut.passes). 0: it does not.
struct OwnCut {
  std::uint32_t partitions = 0, chunk = 0, task_rows = 0;
  friend bool operator==(const OwnCut&, const OwnCut&) = default;
};

// A graph that an experiment runs: forward, backward, or the experiment's own.
struct Pass {
  std::string name;
  Graph graph;
  OwnCut cut = {};
};

// The checked contents of a configuration.
struct Experiment {
  std::string name;
  Hardware hardware;
  Program program;      // how the code that runs on it works
  WorkerKinds workers;  // the workers that run tasks, for all kinds of the hardware
  std::string network;  // name of the backend
  std::shared_ptr<const ExperimentWork> work;
  RunOptions run;  // how its work runs

  // The layer or graph that is run.
  MoeShape shape;
  Parallel parallel;
  RoutingSpec routing;
  Window window = Window::kTransport;
  FfnForm ffn;                            // form of a MoE-FFN, alone or in a training step
  std::vector<Pass> passes;               // run one after another, with a barrier between
  std::vector<std::string> not_modelled;  // parts of the model that are not simulated, as its file says
  std::vector<std::string> absent;        // operators that orders may name although no pass has them
  std::string latency_definition;         // what a latency is, if passes do not say

  // These decide how its schedules are compiled.
  OrderSpec order;
  CutOptions cut;
  // Capacity of each (source, expert). If not set, the routing's own counts.
  std::optional<std::uint32_t> bucket_rows;
  std::string bucket_where;           // file:line:column: key, for messages
  std::uint32_t representatives = 0;  // ranks that stand for all (scheduler/compile/turns.h); 0: all run

  // The configuration that it was read from.
  std::shared_ptr<const ConfigValue> tree;                  // as files and overrides state it
  std::string resolved;                                     // the whole configuration as it was understood
  std::vector<std::pair<std::string, std::string>> values;  // all its values, by path

  // Changes that no configuration can state, such as faster cables, in the order in which they were made.
  std::vector<std::function<void(Experiment&)>> amendments;

  // Makes a change that no configuration can state, so that with() makes it again.
  void amend(std::function<void(Experiment&)> change);
  // Returns the experiment of the same configuration with these changes: `path.to.key=value`, as `--set`
  // takes them. Amendments stay; other changes made to the structs above since it was read are lost. Throws
  // InputError as load_experiment() does.
  Experiment with(std::span<const std::string> changes) const;
  // Returns the experiment with these changes of its machine and program. All else stays as it is, so that the same
  // schedules run. Throws InputError as load_experiment() does.
  Experiment with_machine(std::span<const std::string> changes) const;
};

// Reads a configuration file with its includes and `--set` overrides. Throws InputError with everything that
// is wrong with it, one line each.
Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides);

// Does the same with a launch script, and a model's config.json for what it leaves open; an empty path: none.
Experiment load_launch(const std::filesystem::path& script, const std::filesystem::path& model,
                       std::span<const std::string> overrides);

// Does the same with the text of a file. Messages call it `name`.
Experiment parse_experiment(std::string_view text, const std::string& name,
                            std::span<const std::string> overrides);

// Does the same with a configuration that has been read. `diagnostics` holds the errors noted so far.
Experiment read_experiment(const Config& root, const Diagnostics& diagnostics);

// Returns the rows that the experiment's routing sends. Throws InputError if the routing does not fit the
// shape.
RoutingCounts routing_of(const Experiment& experiment);

// Returns the capacities to compile for: the bucket's, or the counts themselves.
RoutingCounts capacity_of(const Experiment& experiment, const RoutingCounts& counts);

// Returns how the tasks of one of its passes are cut.
CutOptions cut_of(const Experiment& experiment, const Pass& pass);
// Returns the network backend that the experiment names.
const NetworkBackend& backend_of(const Experiment& experiment);
// Does the same for runs in parallel threads. SimGrid allows only one engine per process; the native backend,
// which shares ports exactly as SimGrid does, replaces it.
const NetworkBackend& backend_in_threads(const Experiment& experiment);

}  // namespace a3sim
