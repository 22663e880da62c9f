#include "sim/study/experiment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <algorithm>

#include "models/graph/tiling_config.h"
#include "models/graph/yaml_graph.h"
#include "scheduler/order_config.h"
#include "sim/memory/l2/policy.h"
#include "sim/network/network.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostRows = 1 << 30;
constexpr std::int64_t kMostShares = 65535;  // a region's share has 16 bits

// Tiles and their buffers must fit into L0 and L1.
void check_fits(const Config& config, const Tiling& t, const Hardware::Cube& cube, DataType dtype) {
  const std::int64_t element = element_bytes(dtype), a = t.base_m * t.base_k * element,
                     b = t.base_n * t.base_k * element;
  const auto check = [&](std::string_view what, std::int64_t bytes, Bytes size) {
    if (bytes <= size.count) return;
    config.error("", fmt::format("blocks of {} x {} x {} of {} need {} bytes of {}, which has {}", t.base_m,
                                 t.base_n, t.base_k, name_of(dtype), bytes, what, size.count));
  };
  check("L0A", a * t.l0_buffers, cube.l0a);
  check("L0B", b * t.l0_buffers, cube.l0b);
  check("L0C", std::int64_t{4} * t.base_m * t.base_n * t.l0c_buffers, cube.l0c);  // sums of 4 bytes
  check("L1", (a + b) * t.step_k * t.l1_buffers, cube.l1);
}

L2Hint read_hint(const Config& config, std::string_view key) {
  return static_cast<L2Hint>(config.choice(key, {"normal", "bypass", "persist"}, "normal"));
}

L2Options read_l2(const Config& config) {
  L2Options l2;
  l2.spec.policy = config.text("policy", l2.spec.policy);
  if (!Registry<L2Policy>::find(l2.spec.policy)) {
    config.error("policy",
                 "unknown L2 policy '" + l2.spec.policy + "'; known: " + Registry<L2Policy>::known());
    l2.spec.policy = "lru";
  }
  l2.exact = config.choice("mode", {"pieces", "lines"}, "pieces") == 1;
  l2.start = static_cast<L2Start>(config.choice("start", {"cold", "warm", "used"}, "cold"));
  l2.spec.hash = static_cast<L2Hash>(config.choice("hash", {"modulo", "xor"}, "xor"));
  l2.spec.seed = static_cast<std::uint64_t>(config.integer("seed", 0, kMostRows, 1));
  const Config hints = config.map("hints");
  for (const std::string& op : hints.keys()) {
    const Config of = hints.map(op);
    l2.read_hints[op] = read_hint(of, "read");
    l2.write_hints[op] = read_hint(of, "write");
    of.finish();
  }
  config.finish();
  return l2;
}

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

void read_gemm(const Config& config, Experiment& experiment) {
  const auto size = [&](std::string_view key) {
    return static_cast<std::uint32_t>(config.integer(key, 1, kMostRows));
  };
  const std::uint32_t m = size("m"), n = size("n"), k = size("k");
  const auto experts = static_cast<std::uint32_t>(config.integer("experts", 0, 0xfffe, 0));
  const auto dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  if (experts > 0) {
    experiment.shape.tokens = m;
    experiment.shape.hidden = k;
    experiment.shape.intermediate = n;
    experiment.shape.top_k = 1;
    experiment.shape.experts_per_rank = experts;
  }
  experiment.passes.push_back({"gemm", gemm_graph(m, n, k, experts > 0, dtype)});
}

void read_elementwise(const Config& config, Experiment& experiment) {
  ElementwiseShape shape;
  constexpr std::string_view kTypes[] = {"Add", "Copy", "Load", "SwiGLU"};
  shape.type = kTypes[config.choice("operator", {kTypes[0], kTypes[1], kTypes[2], kTypes[3]})];
  const auto read = [&](std::string_view key, std::int64_t most, std::int64_t fallback) {
    return static_cast<std::uint32_t>(config.integer(key, 1, most, fallback));
  };
  shape.rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostRows));
  shape.cols = static_cast<std::uint32_t>(config.integer("cols", 1, kMostRows));
  shape.sweeps = read("sweeps", 64, 1);
  shape.slices = read("slices", 64, 1);
  if (shape.rows % shape.slices != 0) config.error("slices", "expected a divisor of the rows");
  shape.dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = shape.dtype;
  shape.task_rows = (shape.rows / shape.slices + experiment.workers[1] - 1) / experiment.workers[1];
  if (shape.rows % shape.slices == 0) experiment.passes.push_back({"elementwise", elementwise_graph(shape)});
}

void read_swiglu_add(const Config& config, Experiment& experiment) {
  const auto rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostRows));
  const auto width = static_cast<std::uint32_t>(config.integer("width", 1, kMostRows));
  const auto tile_rows = static_cast<std::uint32_t>(config.integer("tile_rows", 1, kMostRows));
  const auto dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  // A kernel's workers have even slabs of rows.
  const std::uint32_t slab = (rows + experiment.workers[1] - 1) / experiment.workers[1];
  const bool kernel = experiment.execution == ExecutionKind::kKernel;
  experiment.passes.push_back(
      {"swiglu_add", swiglu_add_graph(rows, width, kernel ? slab : tile_rows, dtype)});
}

void read_workload(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  experiment.name = block.text("name");
  experiment.execution =
      static_cast<ExecutionKind>(block.choice("execution", {"static", "dynamic", "kernel"}, "static"));
  experiment.dispatch_servers = static_cast<std::uint32_t>(block.integer("dispatch_servers", 1, 1024, 1));
  const std::size_t workload =
      block.choice("workload", {"moe_ffn", "swiglu_add", "graph", "gemm", "elementwise"}, "moe_ffn");
  if (experiment.execution == ExecutionKind::kKernel && (workload == 0 || workload == 2)) {
    block.error("execution",
                "only swiglu_add, gemm and elementwise run kernel by kernel, expected static or dynamic");
  }
  switch (workload) {
    case 0:
      read_moe_ffn(root, block, experiment);
      break;
    case 1:
      read_swiglu_add(root.map("swiglu_add"), experiment);
      break;
    case 3:
      read_gemm(root.map("gemm"), experiment);
      break;
    case 4:
      read_elementwise(root.map("elementwise"), experiment);
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
  experiment.cut.kernel = experiment.execution == ExecutionKind::kKernel;
  experiment.cut.tiling = read_tiling(root.map("tiling"), {});
  check_fits(root.map("tiling"), experiment.cut.tiling, experiment.hardware.cube, experiment.shape.dtype);
  experiment.l2 = read_l2(root.map("l2"));
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

RunOptions options_of(const Experiment& experiment, bool record) {
  RunOptions options;
  options.record = record;
  options.execution = experiment.execution;
  options.dispatch_servers = experiment.dispatch_servers;
  options.l2 = experiment.l2;
  return options;
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
    result.run =
        run_schedule(result.schedule, counts, experiment.hardware, backend, options_of(experiment, record));
    spdlog::debug("{}: {} events executed, {:.3f} s", pass.name, result.run.events, watch);
    result.bounds =
        lower_bounds(result.schedule, counts, experiment.hardware, experiment.l2.start == L2Start::kWarm);
  }
  return results;
}

}  // namespace a3sim
