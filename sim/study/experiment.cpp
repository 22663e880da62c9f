#include "sim/study/experiment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <algorithm>

#include "models/graph/yaml_graph.h"
#include "scheduler/order_config.h"
#include "sim/network/network.h"
#include "sim/runtime/static_run.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostRows = 1 << 30;
constexpr std::int64_t kMostShares = 65535;  // a region's share has 16 bits

CutOptions read_cut(const Config& config, std::uint32_t cubes) {
  CutOptions cut;
  cut.shares = static_cast<std::uint32_t>(config.integer("shares", 1, kMostShares, cubes));
  cut.partitions = static_cast<std::uint32_t>(config.integer("partitions", 1, 4096, cut.partitions));
  cut.chunk = static_cast<std::uint32_t>(config.integer("chunk", 1, kMostRows, cut.chunk));
  cut.task_rows = static_cast<std::uint32_t>(config.integer("task_rows", 1, kMostRows, cut.task_rows));
  config.finish();
  return cut;
}

void read_model(const Config& root, Experiment& experiment) {
  experiment.parallel = read_parallel(root.map("parallel"));
  experiment.shape = read_shape(root.map("model"), experiment.parallel);
  experiment.routing = read_routing(root.map("routing"));
}

void read_moe_ffn(const Config& root, const Config& block, Experiment& experiment) {
  const std::size_t pass = block.choice("pass", {"forward", "backward", "both"}, "both");
  experiment.window = static_cast<Window>(block.choice("window", {"transport", "full"}, "transport"));
  read_model(root, experiment);
  if (pass != 1) experiment.passes.push_back({"forward", forward_graph(experiment.shape, experiment.window)});
  if (pass != 0)
    experiment.passes.push_back({"backward", backward_graph(experiment.shape, experiment.window)});
}

void read_swiglu_add(const Config& config, Experiment& experiment) {
  const auto rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostRows));
  const auto width = static_cast<std::uint32_t>(config.integer("width", 1, kMostRows));
  const auto tile_rows = static_cast<std::uint32_t>(config.integer("tile_rows", 1, kMostRows));
  const auto dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  experiment.passes.push_back({"swiglu_add", swiglu_add_graph(rows, width, tile_rows, dtype)});
}

void read_workload(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  experiment.name = block.text("name");
  block.choice("execution", {"static"}, "static");
  switch (block.choice("workload", {"moe_ffn", "swiglu_add", "graph"}, "moe_ffn")) {
    case 0:
      read_moe_ffn(root, block, experiment);
      break;
    case 1:
      read_swiglu_add(root.map("swiglu_add"), experiment);
      break;
    default:
      read_model(root, experiment);
      experiment.passes.push_back(
          {root.map("graph").text("name"), graph_from_config(root.map("graph"), experiment.shape)});
  }
  block.finish();
}

// How many workers of each kind run tasks: all that the hardware has, unless the configuration says fewer.
void read_workers(const Config& config, Experiment& experiment) {
  const Hardware::Workers& all = experiment.hardware.workers;
  experiment.workers[0] = static_cast<std::uint32_t>(config.integer("aic", 1, all.cube, all.cube));
  experiment.workers[1] = static_cast<std::uint32_t>(config.integer("aiv", 1, all.vector, all.vector));
  config.finish();
}

// An order may name operators of passes and windows that an experiment leaves out.
std::vector<std::string> operators_of_moe_ffn(const MoeShape& shape) {
  std::vector<std::string> names;
  for (const Graph& graph : {forward_graph(shape, Window::kFull), backward_graph(shape, Window::kFull)}) {
    for (const OperatorNode& op : graph.operators()) names.push_back(op.name);
  }
  return names;
}

Experiment read(const Config& root) {
  Experiment experiment;
  experiment.hardware = read_hardware(root.map("hardware"));
  read_workers(root.map("workers"), experiment);
  read_workload(root, experiment);
  experiment.cut = read_cut(root.map("cut"), experiment.workers[0]);
  experiment.order = read_order(root.map("order"));
  if (experiment.shape.experts() > 0) experiment.order.elsewhere = operators_of_moe_ffn(experiment.shape);
  const Config bucket = root.map("bucket");
  if (bucket.has("rows"))
    experiment.bucket_rows = static_cast<std::uint32_t>(bucket.integer("rows", 0, kMostRows));
  experiment.bucket_where = bucket.mark("rows").text() + ": " + bucket.path("rows");
  bucket.finish();
  const Config network = root.map("network");
  experiment.network = network.text("backend", "native");
  if (!Registry<NetworkBackend>::find(experiment.network)) {
    network.error("backend", "unknown network backend '" + experiment.network +
                                 "'; known: " + Registry<NetworkBackend>::known());
  }
  network.finish();
  root.finish();
  return experiment;
}

PathRates path_rates(const Hardware& hardware) {
  const auto clock = static_cast<double>(hardware.clock.count);
  return {2 * clock * hardware.cube.macs_per_cycle_16, clock * hardware.vector.gm_to_ub};
}

}  // namespace

Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, overrides, diagnostics);
  Experiment experiment = read(root);
  diagnostics.throw_if_any();
  experiment.resolved = root.resolved();
  return experiment;
}

RoutingCounts routing_of(const Experiment& experiment) {
  if (experiment.shape.experts() == 0) return RoutingCounts(experiment.shape.ep, 0);
  return route(experiment.routing, experiment.shape);
}

namespace {

// About how many tasks a pass has: its puts there and back, and each partition's shares and row tiles.
void check_size(const Experiment& experiment, const RoutingCounts& capacity) {
  constexpr std::uint64_t kMostTasks = 50'000'000;  // some 8 GB
  const CutOptions& cut = experiment.cut;
  std::uint64_t tasks = 4 * std::uint64_t{experiment.shape.experts()} * cut.partitions * cut.shares;
  for (std::uint32_t src = 0; src < capacity.ranks(); ++src) {
    for (const std::uint32_t rows : capacity.source(src)) {
      tasks += 2 * (rows / cut.chunk + (rows > 0)) + rows / cut.task_rows;
    }
  }
  if (tasks <= kMostTasks) return;
  throw InputError(
      fmt::format("{}: a pass would have about {} million tasks, expected at most {}: take a smaller group, "
                  "fewer partitions or shares, or larger chunks",
                  experiment.name, tasks / 1'000'000, kMostTasks / 1'000'000));
}

}  // namespace

RoutingCounts capacity_of(const Experiment& experiment, const RoutingCounts& counts) {
  if (!experiment.bucket_rows) return counts;
  std::uint32_t most = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (const std::uint32_t rows : counts.source(src)) most = std::max(most, rows);
  }
  if (most > *experiment.bucket_rows) {
    throw InputError(
        fmt::format("{}: {} rows, expected at least {}: the most that one rank sends to one expert",
                    experiment.bucket_where, *experiment.bucket_rows, most));
  }
  RoutingCounts capacity(counts.ranks(), counts.experts());
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) capacity.at(src, e) = *experiment.bucket_rows;
  }
  return capacity;
}

Compilation compile_pass(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity) {
  check_size(experiment, capacity);
  CompileOptions options;
  options.shape = experiment.shape;
  options.capacity = capacity;
  options.cut = experiment.cut;
  options.order = experiment.order;
  options.workers[0] = experiment.workers[0];
  options.workers[1] = experiment.workers[1];
  options.path_rates = path_rates(experiment.hardware);
  return compile(pass.graph, pass.name, options);
}

std::vector<PassResult> run_experiment(const Experiment& experiment, bool record) {
  const RoutingCounts counts = routing_of(experiment);
  const NetworkBackend& backend = Registry<NetworkBackend>::get(experiment.network);
  std::vector<PassResult> results;
  for (const Pass& pass : experiment.passes) {
    PassResult& result = results.emplace_back();
    result.name = pass.name;
    spdlog::stopwatch watch;
    result.schedule = compile_pass(experiment, pass, capacity_of(experiment, counts)).schedule;
    spdlog::debug("{}: compiled for {} ranks, {:.3f} s", pass.name, result.schedule.size(), watch);
    result.run = run_static(result.schedule, counts, experiment.hardware, backend, {.record = record});
    spdlog::debug("{}: {} events executed, {:.3f} s", pass.name, result.run.events, watch);
    result.bounds = lower_bounds(result.schedule, counts, experiment.hardware);
  }
  return results;
}

}  // namespace a3sim
