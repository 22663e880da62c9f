#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "models/graph/plain_graph.h"
#include "models/graph/yaml_graph.h"
#include "sim/experiment/config/ffn_form_config.h"
#include "sim/experiment/config/row_form_config.h"
#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

// Returns what sizes of a graph may name besides its own: how many workers run its tasks.
SizeSymbols worker_counts(const Experiment& experiment) {
  return {{"aic", experiment.workers.count(CoreUnit::kMatrix)},
          {"aiv", experiment.workers.count(CoreUnit::kVector)}};
}

// In its form, as built-in graphs of a MoE-FFN are.
void read_graph_of_model(const Config& root, const Config& block, Experiment& experiment) {
  // Included files may state keys of the built-in graphs of a MoE-FFN.
  for (const char* key : {"pass", "window", "weight_gradients"}) block.let_stand(key);
  if (block.has("pass") && block.text("pass") == "backward")
    block.error("pass", "the graph in the configuration has a pass of its own: leave it out");
  read_model(root, experiment);
  MoeShape& shape = experiment.shape;
  experiment.ffn = read_ffn_form(root, block, experiment, shape.tokens);
  const RowForm rows = read_row_form(block, experiment);
  shape.tokens /= experiment.ffn.batches;
  const Config config = root.map("graph");
  const std::string name = config.text("name");
  GraphScope scope = scope_of(shape);
  scope.sizes.merge(worker_counts(experiment));
  const Graph graph = graph_from_config(config, scope);
  const FfnForm& form = experiment.ffn;
  const bool formed = form.batches > 1 || form.columns > 1 || form.dispatch != RowExchange::kPush ||
                      rows.rows != RowCrossing::kByExpert || !rows.movers.empty();
  if (formed) root.throw_if_any();  // a wrong graph has no forms
  if (!rows.movers.empty()) {
    const std::array<Graph, 1> unmoved{in_form(graph, shape, form, {rows.rows, {}})};
    check_movers(block, rows, unmoved);
  }
  experiment.passes.push_back({name, formed ? in_form(graph, shape, form, rows) : graph});
}

void check_tensors_fit(const Config& config, const PlainGraph& plain, Bytes memory) {
  double bytes = 0;
  for (const TensorNode& tensor : plain.graph.tensors()) {
    const std::uint32_t experts = tensor.layout == Layout::kWeights ? plain.shape.experts_per_rank : 1;
    bytes += 1.0 * tensor.rows * tensor.cols * element_bytes(tensor.dtype) * experts;
  }
  const std::vector<std::string> sizes = config.map("sizes").names();
  if (sizes.empty())
    check_fits_memory(config, memory, {"tensors"}, bytes);
  else
    check_fits_memory(config.map("sizes"), memory, sizes, bytes);
}

// Says what a group's latency is of.
std::string group_latency(const Config& config, const Graph& graph, std::uint32_t ranks, bool tiles) {
  std::vector<std::string> operators, sizes;
  for (const OperatorNode& node : graph.operators()) operators.push_back(node.name);
  const Config own = config.map("sizes");
  for (const std::string& name : own.names())
    sizes.push_back(fmt::format("{} = {}", name, own.integer(name, 1, kMostShape)));
  return fmt::format(
      "{} on each of {} ranks, whose dies lie side by side{}{}; {}", fmt::join(operators, ", "), ranks,
      sizes.empty() ? "" : ": ", fmt::join(sizes, ", "),
      tiles ? "tile by tile, puts of row chunks beside what needs them" : "one kernel after the other");
}

// Of operators alone: sizes, type and ranks are the graph's own.
void read_plain_graph(const Config& root, Experiment& experiment) {
  const Config config = root.map("graph");
  const std::string name = config.text("name");
  const bool kernels = in_kernels(experiment);
  PlainGraph plain = plain_graph_from_config(config, worker_counts(experiment));
  if (plain.shape.experts_per_rank > 0 && !kernels)
    config.error("experts", "operators of several experts run kernel by kernel: experiment.execution=kernel");
  check_tensors_fit(config, plain, experiment.hardware.memory.hbm_size);
  experiment.parallel.ep = plain.shape.ep;
  experiment.shape = plain.shape;
  const bool tiles = !kernels && experiment.run.transport == Transport::kPuts;
  if (plain.shape.ep > 1)
    experiment.latency_definition = group_latency(config, plain.graph, plain.shape.ep, tiles);
  std::optional<std::uint32_t> slabs;
  if (kernels) slabs = experiment.workers.count(CoreUnit::kVector);
  experiment.passes.push_back({name, tiles ? plain.graph : without_tiles(plain.graph, slabs)});
}

void read_graph(const Config& root, const Config& block, Experiment& experiment) {
  if (root.has("model"))
    read_graph_of_model(root, block, experiment);
  else
    read_plain_graph(root, experiment);
}

A3SIM_REGISTER(Workload, "graph", "a graph of known operators, in the configuration", Workload{read_graph});

}  // namespace
}  // namespace a3sim
