#include <vector>

#include "models/config/model_shape_config.h"
#include "models/graph/ungated.h"
#include "sim/experiment/config/ffn_form_config.h"
#include "sim/experiment/config/row_form_config.h"
#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

void read_moe_ffn(const Config& root, const Config& block, Experiment& experiment) {
  const std::size_t pass = block.choice("pass", {"forward", "backward", "both"}, "both");
  experiment.window = block.choice("window", Window::kTransport);
  const WeightGradients then = of_execution(
      block, "weight_gradients", experiment, [](const Config& gradients, const std::string& key) {
        return gradients.has(key) ? gradients.choice<WeightGradients>(key) : WeightGradients::kNone;
      });
  read_model(root, experiment);
  MoeShape& shape = experiment.shape;
  experiment.ffn = read_ffn_form(root, block, experiment, shape.tokens);
  const RowForm rows = read_row_form(block, experiment);
  shape.tokens /= experiment.ffn.batches;
  const bool gated = has_gate(root.map("model"));
  const auto graph_of = [&](bool forward) {
    if (!gated)
      return forward ? ungated_forward_graph(shape, experiment.window)
                     : ungated_backward_graph(shape, experiment.window, then);
    return forward ? forward_graph(shape, experiment.window) : backward_graph(shape, experiment.window, then);
  };
  if (!rows.movers.empty()) {
    std::vector<Graph> unmoved;
    for (const bool forward : {true, false})
      unmoved.push_back(in_form(graph_of(forward), shape, experiment.ffn, {rows.rows, {}}));
    check_movers(block, rows, unmoved);
  }
  const auto add = [&](const char* name, bool forward) {
    experiment.passes.push_back({name, in_form(graph_of(forward), shape, experiment.ffn, rows)});
  };
  if (pass != 1) add("forward", true);
  if (pass != 0) add("backward", false);
}

A3SIM_REGISTER(Workload, "moe_ffn", "a MoE-FFN, forward, backward or both", Workload{read_moe_ffn});

}  // namespace
}  // namespace a3sim
