#include <array>

#include "models/graph/yaml_graph.h"
#include "sim/experiment/config/ffn_form_config.h"
#include "sim/experiment/config/row_form_config.h"
#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

// In its form, as built-in graphs of a MoE-FFN are.
void read_graph(const Config& root, const Config& block, Experiment& experiment) {
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
  const Graph graph = graph_from_config(config, shape);
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

A3SIM_REGISTER(Workload, "graph", "a graph of known operators, in the configuration", Workload{read_graph});

}  // namespace
}  // namespace a3sim
