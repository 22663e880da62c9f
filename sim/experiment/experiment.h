#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/balance/expert_places.h"
#include "models/graph/graph.h"
#include "models/config/model_config.h"
#include "models/routing/routing.h"
#include "scheduler/compile/compile.h"
#include "sim/core/config/config.h"
#include "sim/device/hardware.h"
#include "sim/experiment/methods/method.h"
#include "sim/network/network.h"
#include "sim/runtime/run_options.h"

namespace a3sim {

// How a MoE layer runs on streams, micro-batch after micro-batch.
struct StreamOptions {
  std::string method = "none";  // a registered Method
  std::uint32_t micro_batches = 200;
  std::uint32_t seeds = 1;  // of the routing, from its own on
  PlaceBy place = PlaceBy::kNumber;
  MethodOptions with;
};

// Whether the block `experiment` says that it runs on streams, or that one schedule is replayed for micro-batches.
bool runs_on_streams(const Config& experiment);
bool replays_batches(const Config& experiment);
// Reads the keys of streams there, and the blocks `balance`, `tutel` and `triton`.
StreamOptions read_stream_options(const Config& root);

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
      bucket_rows;           // capacity of each (source, expert); none: the routing's own counts
  WorkerKinds workers;       // that run tasks, of all of the hardware's kinds
  std::string bucket_where;  // file:line:column: key, for messages
  Window window = Window::kTransport;
  std::string network;                      // backend
  RunOptions run;                           // how its schedules run
  std::uint32_t kept = 0;                   // ranks that stand for all (scheduler/compile/turns.h); 0: all run
  std::optional<StreamOptions> streams{};   // it runs on streams instead: micro_batches.h
  std::optional<StreamOptions> replayed{};  // micro-batches by one schedule: guest_slots.h
  std::vector<Pass> passes;                 // run one after the other, a barrier between
  std::vector<std::string> not_modelled;    // of the model, as its file says
  std::string timed;                        // what a latency is of, where passes do not say it themselves
  std::string resolved;                     // the whole configuration as it was understood
  std::vector<std::pair<std::string, std::string>> values;  // all values in it, by path
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
