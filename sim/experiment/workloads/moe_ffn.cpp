#include <fmt/format.h>

#include "models/graph/batches.h"
#include "models/graph/columns.h"
#include "sim/experiment/workload.h"

namespace a3sim {
namespace {

// Micro-batches share a rank's tokens, and are routed alike. Returns how many there are.
std::uint32_t read_batches(const Config& root, const Config& block, Experiment& experiment) {
  constexpr std::int64_t kMost = 64;
  const auto batches = static_cast<std::uint32_t>(block.integer("batches", 1, kMost, 1));
  std::uint32_t& tokens = experiment.shape.tokens;
  if (tokens % batches == 0)
    tokens /= batches;
  else
    root.map("model").error("tokens",
                            fmt::format("{} micro-batches do not divide {} tokens", batches, tokens));
  return batches;
}

// Returns in how many blocks of columns the last products are cut.
std::uint32_t read_columns(const Config& root, const Config& block, const MoeShape& shape) {
  constexpr std::int64_t kMost = 64;
  const auto columns = static_cast<std::uint32_t>(block.integer("columns", 1, kMost, 1));
  if (shape.hidden % columns == 0) return columns;
  root.map("model").error("hidden",
                          fmt::format("{} blocks of columns do not divide {}", columns, shape.hidden));
  return 1;
}

void read_moe_ffn(const Config& root, const Config& block, Experiment& experiment) {
  const std::size_t pass = block.choice("pass", {"forward", "backward", "both"}, "both");
  experiment.window = block.choice("window", Window::kTransport);
  const WeightGradients then = of_execution(
      block, "weight_gradients", experiment, [](const Config& gradients, const std::string& key) {
        return gradients.has(key) ? gradients.choice<WeightGradients>(key) : WeightGradients::kNone;
      });
  read_model(root, experiment);
  const std::uint32_t batches = read_batches(root, block, experiment),
                      columns = read_columns(root, block, experiment.shape);
  const auto add = [&](const char* name, const Graph& graph) {
    experiment.passes.push_back({name, in_batches(in_columns(graph, columns), batches)});
  };
  if (pass != 1) add("forward", forward_graph(experiment.shape, experiment.window));
  if (pass != 0) add("backward", backward_graph(experiment.shape, experiment.window, then));
}

A3SIM_REGISTER(Workload, "moe_ffn", "a MoE-FFN, forward, backward or both", Workload{read_moe_ffn});

}  // namespace
}  // namespace a3sim
