#include "models/graph/builder.h"
#include "models/graph/ungated.h"

namespace a3sim {
namespace {

void add_gradient(GraphBuilder& b, const std::string& weights, TensorId gradient, WeightGradients then) {
  if (then == WeightGradients::kNone) return;
  TensorNode sum = b.graph.tensor(gradient);
  if (then != WeightGradients::kAddBf16) sum.dtype = DataType::kFp32;
  sum.name = "sum_" + weights;
  const TensorId made = b.graph.add_tensor(sum);
  const bool cast = then == WeightGradients::kCastFp32;
  std::vector<TensorId> inputs{gradient};
  sum.name = "sum_before_" + weights;
  sum.external = true;
  if (!cast) inputs.push_back(b.graph.add_tensor(sum));
  const std::string type = cast ? "Cast" : "AssignAdd";
  OperatorNode node = make_node(type + '_' + weights, type, inputs, {made});
  node.split.inherits.clear();  // rows are dealt evenly, not by expert
  b.graph.add_operator(std::move(node));
}

Graph backward_of(const MoeShape& shape, Window window, WeightGradients then, bool gated) {
  GraphBuilder b{shape, {}};
  const bool full = window == Window::kFull;
  const std::uint32_t hidden = shape.hidden, width = shape.intermediate, first = gated ? 2 * width : width;
  const TensorId counts = b.counts();
  // Tensors that the forward pass keeps.
  const TensorId received = b.tensor("received", Layout::kReceived, 0, hidden, true);
  const TensorId gate_up = b.tensor(gated ? "gate_up" : "up", Layout::kReceived, 0, first, true);
  const TensorId activation = b.tensor("activation", Layout::kReceived, 0, width, true);
  const TensorId w1 = b.tensor("w1", Layout::kWeights, hidden, first, true);
  const TensorId w2 = b.tensor("w2", Layout::kWeights, width, hidden, true);

  const TensorId d_sent = b.tensor("d_sent", Layout::kSent, 0, hidden, !full);
  const TensorId d_expert_output = b.tensor("d_expert_output", Layout::kReceived, 0, hidden, false);
  const TensorId d_activation = b.tensor("d_activation", Layout::kReceived, 0, width, false);
  const TensorId d_w2 = b.tensor("d_w2", Layout::kWeights, width, hidden, false);
  const TensorId d_gate_up = b.tensor(gated ? "d_gate_up" : "d_up", Layout::kReceived, 0, first, false);
  const TensorId d_received = b.tensor("d_received", Layout::kReceived, 0, hidden, false);
  const TensorId d_w1 = b.tensor("d_w1", Layout::kWeights, hidden, first, false);
  const TensorId d_returned = b.tensor("d_returned", Layout::kSent, 0, hidden, false);
  TensorId router{}, d_tokens{};
  if (full) {
    const TensorId d_output = b.tensor("d_output", Layout::kTokens, 0, hidden, true);
    router = b.router();
    d_tokens = b.tensor("d_tokens", Layout::kTokens, 0, hidden, false);
    b.add("Permute_bwd", "PermuteWeighted", {d_output, router}, d_sent);
  }
  b.add("Dispatch_bwd", "Dispatch", {d_sent, counts}, d_expert_output);
  b.add("GMM_act_grad", "GroupedMatmul", {d_expert_output, w2}, d_activation, true);
  b.add("GMM_w2_grad", "GroupedMatmulWeightGrad", {activation, d_expert_output}, d_w2);
  add_gradient(b, "w2", d_w2, then);
  b.add(gated ? "SwiGLU_grad" : "ReLU2_grad", gated ? "SwiGLUGrad" : "ReLU2Grad", {d_activation, gate_up},
        d_gate_up);
  b.add("GMM_gate_grad", "GroupedMatmul", {d_gate_up, w1}, d_received, true);
  b.add("GMM_w1_grad", "GroupedMatmulWeightGrad", {received, d_gate_up}, d_w1);
  add_gradient(b, "w1", d_w1, then);
  b.add("Combine_bwd", "Combine", {d_received, counts}, d_returned);
  if (full) b.add("Accumulate_bwd", "AccumulateUnweighted", {d_returned, router}, d_tokens);
  return std::move(b.graph);
}

}  // namespace

Graph backward_graph(const MoeShape& shape, Window window, WeightGradients then) {
  return backward_of(shape, window, then, true);
}
Graph ungated_backward_graph(const MoeShape& shape, Window window, WeightGradients then) {
  return backward_of(shape, window, then, false);
}

}  // namespace a3sim
