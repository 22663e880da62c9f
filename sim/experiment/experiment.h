#pragma once

#include <cstdint>
#include <filesystem>
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

// One graph that an experiment runs: forward, backward, or the experiment's own.
struct Pass {
  std::string name;
  Graph graph;
};

// Everything that a configuration says, checked.
struct Experiment {
  std::string name;
  Hardware hardware;
  Program program;      // how what runs on it works
  WorkerKinds workers;  // that run tasks, of all of the hardware's kinds
  std::string network;  // the backend
  std::shared_ptr<const ExperimentWork> work;
  RunOptions run;  // how its work runs

  // The layer or graph that is run.
  MoeShape shape;
  Parallel parallel;
  RoutingSpec routing;
  Window window = Window::kTransport;
  FfnForm ffn;                            // of a MoE-FFN, alone or in a training step
  std::vector<Pass> passes;               // run one after the other, a barrier between
  std::vector<std::string> not_modelled;  // parts of the model, as its file says
  std::vector<std::string> absent;        // operators that orders may name, though no pass has them
  std::string timed;                      // what a latency is, where passes do not say it themselves

  // How its schedules are compiled.
  OrderSpec order;
  CutOptions cut;
  std::optional<std::uint32_t>
      bucket_rows;           // capacity of each (source, expert); none: the routing's own counts
  std::string bucket_where;  // file:line:column: key, for messages
  std::uint32_t kept = 0;    // ranks that stand for all (scheduler/compile/turns.h); 0: all run

  // Where it comes from.
  std::shared_ptr<const ConfigValue> tree;  // the configuration as files and overrides state it
  std::string resolved;                     // the whole of it as it was understood
  std::vector<std::pair<std::string, std::string>> values;  // all values in it, by path

  // The experiment of the same configuration with these values: `path.to.key=value`, as `--set` takes them. What was
  // changed in the structs above since it was read is not part of it. Throws InputError as load_experiment() does.
  Experiment with(std::span<const std::string> changes) const;
};

// Reads a configuration file with its includes and `--set` overrides.
// Throws InputError with everything that is wrong with it, a line each.
Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides);

// The same from text that stands for the file `name`.
Experiment parse_experiment(std::string_view text, const std::string& name,
                            std::span<const std::string> overrides);

// The same from a configuration that has been read, with what was noted about it until now.
Experiment read_experiment(const Config& root, const Diagnostics& diagnostics);

// The rows that the experiment's routing sends. Throws InputError where it does not fit the shape.
RoutingCounts routing_of(const Experiment& experiment);

// The capacities to compile for: the bucket's, or the counts themselves.
RoutingCounts capacity_of(const Experiment& experiment, const RoutingCounts& counts);

// The network backend that the experiment names.
const NetworkBackend& backend_of(const Experiment& experiment);
// The same for runs in threads beside one another: SimGrid allows one engine a process, and the native
// backend shares ports exactly as it does.
const NetworkBackend& backend_in_threads(const Experiment& experiment);

}  // namespace a3sim
