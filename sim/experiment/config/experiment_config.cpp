#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/operators/operator.h"
#include "scheduler/orders/order_config.h"
#include "sim/core/closest.h"
#include "sim/experiment/config/alike_ranks.h"
#include "sim/experiment/config/cut_config.h"
#include "sim/experiment/config/kernel_lists.h"
#include "sim/experiment/config/workload.h"
#include "sim/experiment/experiment.h"
#include "sim/network/network.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostWorkers = 16384;

// Reads how many workers of each kind run tasks: all of the hardware's, unless the configuration states
// fewer. Ignores numbers of AIC and AIV if the hardware has none, because other experiments may be included.
void read_workers(const Config& config, Experiment& experiment) {
  const auto read = [&](const std::string& kind, std::uint32_t most) {
    return of_execution(config, kind, experiment, [&](const Config& block, const std::string& key) {
      const bool runs = key == kind || key == experiment.run.execution;
      return static_cast<std::uint32_t>(block.integer(key, 1, runs ? most : kMostWorkers, most));
    });
  };
  experiment.workers = experiment.hardware.workers;
  refuse_other_kinds(config, experiment.workers);
  for (WorkerKind& kind : experiment.workers) kind.count = read(kind.key(), kind.count);
  for (const WorkerKind& usual : aic_and_aiv(kMostWorkers, kMostWorkers)) {
    const auto is_usual = [&](const WorkerKind& kind) { return kind.name == usual.name; };
    if (config.has(usual.key()) && std::ranges::none_of(experiment.workers, is_usual))
      static_cast<void>(read(usual.key(), usual.count));
  }
  config.finish();
}

// Returns the operators of all passes of a MoE-FFN. An order may name those that an experiment leaves out.
std::vector<std::string> operators_of_moe_ffn(const MoeShape& shape) {
  std::vector<std::string> names;
  for (const Graph& graph : {forward_graph(shape, Window::kFull), backward_graph(shape, Window::kFull),
                             backward_graph(shape, Window::kFull, WeightGradients::kCastFp32),
                             backward_graph(shape, Window::kFull, WeightGradients::kAddFp32)}) {
    for (const OperatorNode& op : graph.operators()) {
      if (std::ranges::find(names, op.name) == names.end()) names.push_back(op.name);
    }
  }
  return names;
}

// Checks that the machine multiplies what the graphs' products have as operands.
void check_types(const Config& root, const Experiment& experiment) {
  const Hardware& hardware = experiment.hardware;
  for (const Pass& pass : experiment.passes)
    for (const OperatorNode& op : pass.graph.operators()) {
      if (Operators::get(op.type).unit() != CoreUnit::kMatrix) continue;
      const DataType rows = pass.graph.tensor(op.inputs[0]).dtype,
                     weights = pass.graph.tensor(op.inputs[1]).dtype;
      if (hardware.cube.macs_per_cycle(rows, weights) == 0)
        root.map("hardware").map("workers").error("cube", why_no_products(hardware, rows, weights));
    }
}

void check_hints(const Config& l2, const Experiment& experiment) {
  std::vector<std::string> known = experiment.order.elsewhere;
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (std::find(known.begin(), known.end(), op.name) == known.end()) known.push_back(op.name);
    }
  }
  for (const auto& [op, hint] : experiment.run.l2.read_hints) {
    if (std::find(known.begin(), known.end(), op) == known.end() && !Operators::find(op))
      l2.error("hints", fmt::format("no operator is called '{}'{}", op, suggestion(op, known)));
  }
}

// Returns the network that shares links exactly if that is fast enough, otherwise one that approximates this.
const char* default_network(std::uint32_t ranks) {
  constexpr std::uint32_t kMostExact = 64;
  return ranks <= kMostExact ? "native" : "endpoint-share";
}

// Says which ranks run.
enum class Simulate : std::uint8_t {
  kAll,
  kAlike  // one of each set of ranks that are alike, if the group turns
};
constexpr auto names_of(Simulate) { return std::to_array<std::string_view>({"all", "alike"}); }

// Returns the number of ranks that represent all; 0 if all run.
std::uint32_t kept_ranks(const Config& block, Simulate simulate, const Experiment& experiment) {
  if (simulate == Simulate::kAll) return 0;
  const std::vector<RankOptions>& ranks = experiment.run.ranks;
  if (experiment.work->micro_batches()) {
    block.error("simulate", "micro-batches run on all ranks: expected all");
  } else if (std::ranges::any_of(ranks, [](const RankOptions& rank) {
               return rank.start != Duration::zero() || rank.clock != 1 || rank.hbm != 1;
             })) {
    block.error("simulate", "the block 'ranks' tells ranks apart: expected all");
  }
  return alike_ranks(experiment);
}

// Checks that the program has a scheduler on the device, if one must hand out tasks.
void check_scheduler(const Config& root, const Experiment& experiment) {
  if (!charges(experiment.run, "program.tasks.dynamic_task") || experiment.program.tasks.dynamic_task) return;
  root.map("experiment")
      .error(
          "execution",
          fmt::format("program '{}' has no scheduler on the device: include programs/hyperparallel.yaml, or "
                      "say program.tasks.dynamic_task, what one spends on a task",
                      experiment.program.name));
}

void read_machine(const Config& root, Experiment& experiment) {
  experiment.hardware = read_hardware(root.map("hardware"));
  experiment.program = read_program(root.map("program"));
  check_stack(root.map("program"), experiment.program, experiment.hardware.name, experiment.hardware.stack);
  if (!root.map("experiment").boolean("sustained", false)) return;
  const Hardware::Cube& cube = experiment.hardware.cube;
  if (cube.sustained == cube.speed) root.map("experiment").let_stand("sustained");
  experiment.hardware = sustained(experiment.hardware);
}

// Reads the order of tasks, and what names operators of its passes besides.
void read_order_and_names(const Config& root, Experiment& experiment) {
  experiment.order = read_order(root.map("order"));
  if (!charges(experiment.run, "program.tasks.static_task")) root.map("order").let_stand("assignment");
  if (experiment.shape.experts() > 0) experiment.order.elsewhere = operators_of_moe_ffn(experiment.shape);
  experiment.order.elsewhere.insert(experiment.order.elsewhere.end(), experiment.absent.begin(),
                                    experiment.absent.end());
  read_tilings_of_operators(root, experiment);
  for (const KernelListError& wrong : name_kernels(experiment))
    root.map("experiment").error(wrong.key, wrong.why);
  check_hints(root.map("l2"), experiment);
}

void read_bucket(const Config& bucket, Experiment& experiment) {
  constexpr std::int64_t kMostRows = 1 << 30;
  if (bucket.has("rows"))
    experiment.bucket_rows = static_cast<std::uint32_t>(bucket.integer("rows", 0, kMostRows));
  experiment.bucket_where = bucket.mark("rows").text() + ": " + bucket.path("rows");
  bucket.finish();
}

void read_network(const Config& network, Experiment& experiment) {
  experiment.run.cables =
      read_cable_planes(network, experiment.hardware.fabric, dies_of(experiment.run.ranks));
  const bool exact = experiment.representatives > 0 || !experiment.run.cables.empty();
  const char* const usual = exact ? "native" : default_network(experiment.shape.ep);
  experiment.network = network.registered<NetworkBackend>("backend", usual).value_or(usual);
  network.finish();
}

// Reads each block behind those that its values depend on: the machine and what runs on it, the shape and its ranks, how work
// is cut, in which order it runs, and over which network.
Experiment read(const Config& root) {
  Experiment experiment;
  read_machine(root, experiment);
  const auto simulate = root.map("experiment").choice("simulate", Simulate::kAll);
  experiment.work = read_work(root, experiment);
  check_scheduler(root, experiment);
  read_workers(root.map("workers"), experiment);
  read_workload(root, experiment);
  experiment.run.ranks =
      read_ranks(root, experiment.shape.ep, experiment.parallel, experiment.hardware.fabric);
  read_cut_and_tiling(root, experiment);
  check_types(root, experiment);
  experiment.representatives = kept_ranks(root.map("experiment"), simulate, experiment);
  experiment.run.l2 = read_l2(root.map("l2"));
  read_order_and_names(root, experiment);
  read_bucket(root.map("bucket"), experiment);
  read_network(root.map("network"), experiment);
  root.finish();
  return experiment;
}

}  // namespace

Experiment read_experiment(const Config& root, const Diagnostics& diagnostics) {
  Experiment experiment = read(root);
  diagnostics.throw_if_any();
  experiment.tree = root.tree();
  experiment.resolved = root.resolved();
  experiment.values = root.values();
  return experiment;
}

}  // namespace a3sim
