#include <fmt/format.h>

#include <algorithm>

#include "models/graph/tiling_config.h"
#include "models/operators/operator.h"
#include "scheduler/order_config.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/workload.h"
#include "sim/network/network.h"
#include "sim/runtime/execution.h"

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
    config.error("base_k",
                 fmt::format("blocks of {} x {} x {} of {} need {} bytes of {}, which has {}: make base_k, "
                             "base_m, base_n or step_k smaller",
                             t.base_m, t.base_n, t.base_k, name_of(dtype), bytes, what, size.count));
  };
  check("L0A", a * t.l0_buffers, cube.l0a);
  check("L0B", b * t.l0_buffers, cube.l0b);
  check("L0C", std::int64_t{4} * t.base_m * t.base_n * t.l0c_buffers, cube.l0c);  // sums of 4 bytes
  check("L1", (a + b) * t.step_k * t.l1_buffers, cube.l1);
}

// Kernels are not cut for their neighbours' sake: a collective sends whole experts, and vector operators are
// dealt evenly to their workers, in tiles small enough for that.
CutOptions read_cut(const Config& config, const Experiment& experiment) {
  constexpr std::uint32_t kWholeExperts = 1 << 30, kEven = 32;
  CutOptions cut;
  cut.kernel = Executions::get(experiment.run.execution).by_kernels();
  if (cut.kernel) cut.task_rows = kEven;
  if (experiment.run.transport == Transport::kCollective) cut.chunk = kWholeExperts;
  cut.shares = static_cast<std::uint32_t>(config.integer("shares", 1, kMostShares, experiment.workers[0]));
  cut.partitions = static_cast<std::uint32_t>(config.integer("partitions", 1, 4096, cut.partitions));
  cut.chunk = static_cast<std::uint32_t>(config.integer("chunk", 1, kMostRows, cut.chunk));
  cut.task_rows = static_cast<std::uint32_t>(config.integer("task_rows", 1, kMostRows, cut.task_rows));
  config.finish();
  return cut;
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

bool has_products(const Experiment& experiment) {
  return std::ranges::any_of(experiment.passes, [](const Pass& pass) {
    return std::ranges::any_of(pass.graph.operators(), [](const OperatorNode& op) {
      return Operators::get(op.type).queue() == QueueType::kCtq;
    });
  });
}

void check_hints(const Config& l2, const Experiment& experiment) {
  std::vector<std::string> known = experiment.order.elsewhere;
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (std::find(known.begin(), known.end(), op.name) == known.end()) known.push_back(op.name);
    }
  }
  for (const auto& [op, hint] : experiment.run.l2.read_hints) {
    if (std::find(known.begin(), known.end(), op) == known.end())
      l2.error("hints", fmt::format("no operator is called '{}'; known: {}", op, fmt::join(known, ", ")));
  }
}

// SimGrid as long as it is quick enough, then our own exact shares, then an approximation of them.
const char* default_network(std::uint32_t ranks) {
  constexpr std::uint32_t kMostOnSimGrid = 16, kMostExact = 32;
  if (ranks == 1) return "native";  // nothing flows
  return ranks <= kMostOnSimGrid ? "simgrid" : ranks <= kMostExact ? "native" : "endpoint-share";
}

Experiment read(const Config& root) {
  Experiment experiment;
  experiment.hardware = read_hardware(root.map("hardware"));
  read_workers(root.map("workers"), experiment);
  read_workload(root, experiment);
  experiment.run.ranks =
      read_ranks(root, experiment.shape.ep, experiment.parallel, experiment.hardware.fabric);
  experiment.cut = read_cut(root.map("cut"), experiment);
  // Blocks of K keep their bytes: what fits in L0 and L1 of one type fits of all.
  Tiling tiling;
  tiling.base_k = static_cast<std::uint16_t>(tiling.base_k * element_bytes(DataType::kBf16) /
                                             element_bytes(experiment.shape.dtype));
  experiment.cut.tiling = read_tiling(root.map("tiling"), tiling);
  if (has_products(experiment)) {
    check_fits(root.map("tiling"), experiment.cut.tiling, experiment.hardware.cube, experiment.shape.dtype);
  }
  experiment.run.l2 = read_l2(root.map("l2"));
  experiment.order = read_order(root.map("order"));
  if (experiment.shape.experts() > 0) experiment.order.elsewhere = operators_of_moe_ffn(experiment.shape);
  check_hints(root.map("l2"), experiment);
  const Config bucket = root.map("bucket");
  if (bucket.has("rows"))
    experiment.bucket_rows = static_cast<std::uint32_t>(bucket.integer("rows", 0, kMostRows));
  experiment.bucket_where = bucket.mark("rows").text() + ": " + bucket.path("rows");
  bucket.finish();
  const Config network = root.map("network");
  experiment.network = network.text("backend", default_network(experiment.shape.ep));
  if (!Registry<NetworkBackend>::find(experiment.network)) {
    network.error("backend", "unknown network backend '" + experiment.network +
                                 "'; known: " + Registry<NetworkBackend>::known());
  }
  network.finish();
  root.finish();
  return experiment;
}

}  // namespace

Experiment read_experiment(const Config& root, const Diagnostics& diagnostics) {
  Experiment experiment = read(root);
  diagnostics.throw_if_any();
  experiment.resolved = root.resolved();
  return experiment;
}

Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_experiment(Config::load(file, overrides, diagnostics), diagnostics);
}

Experiment parse_experiment(std::string_view text, const std::string& name,
                            std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_experiment(Config::parse(text, name, overrides, diagnostics), diagnostics);
}

}  // namespace a3sim
