#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/graph/graph.h"
#include "models/model_config.h"
#include "models/routing/routing.h"
#include "scheduler/compile.h"
#include "sim/device/hardware.h"
#include "sim/experiment/bounds.h"
#include "sim/runtime/result.h"
#include "sim/runtime/run.h"

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
  MoeShape shape;
  Parallel parallel;
  RoutingSpec routing;
  OrderSpec order;
  CutOptions cut;
  std::optional<std::uint32_t>
      bucket_rows;  // capacity of each (source, expert); none: the routing's own counts
  std::uint32_t workers[kQueues] = {0, 0};  // that run tasks
  std::string bucket_where;                 // file:line:column: key, for messages
  Window window = Window::kTransport;
  std::string network;  // backend
  ExecutionKind execution = ExecutionKind::kStatic;
  Transport transport = Transport::kPuts;
  std::uint32_t dispatch_servers = 1;
  Duration poll[kQueues] = {};
  std::vector<RankOptions> ranks;
  L2Options l2;
  std::vector<Pass> passes;  // run one after the other, a barrier between
  std::string resolved;      // the whole configuration as it was understood
};

// Reads a configuration file with its includes and `--set` overrides.
// Throws InputError with everything that is wrong with it, a line each.
Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides);

// The same from text that stands for the file `name`.
Experiment parse_experiment(std::string_view text, const std::string& name,
                            std::span<const std::string> overrides);

// The rows that the experiment's routing sends. Throws InputError where it does not fit the shape.
RoutingCounts routing_of(const Experiment& experiment);

// The capacities to compile for: the bucket's, or the counts themselves.
RoutingCounts capacity_of(const Experiment& experiment, const RoutingCounts& counts);

// All that a pass's schedule follows from, beside its graph.
CompileOptions compile_options(const Experiment& experiment, const RoutingCounts& capacity);

// Compiles one pass for the bucket of `capacity`.
Compilation compile_pass(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity);

// How the experiment's schedules run.
RunOptions options_of(const Experiment& experiment, bool record);

// The network backend that the experiment names.
const NetworkBackend& backend_of(const Experiment& experiment);
// The same for runs in threads beside one another: SimGrid allows one engine a process, and the native
// backend shares ports exactly as it does.
const NetworkBackend& backend_in_threads(const Experiment& experiment);

struct PassResult {
  std::string name;
  Schedule schedule;
  RunResult run;
  Bounds bounds;
};

// Compiles and runs all passes of an experiment.
std::vector<PassResult> run_experiment(const Experiment& experiment, bool record);
std::vector<PassResult> run_experiment(const Experiment& experiment, bool record,
                                       const NetworkBackend& backend);

}  // namespace a3sim
