#include "models/graph/builder.h"
#include "models/graph/ungated.h"

namespace a3sim {
namespace {

Graph forward_of(const MoeShape& shape, Window window, bool gated) {
  GraphBuilder b{shape, {}};
  const bool full = window == Window::kFull;
  const std::uint32_t hidden = shape.hidden, width = shape.intermediate, first = gated ? 2 * width : width;
  const TensorId counts = b.counts();
  const TensorId sent = b.tensor("sent", Layout::kSent, 0, hidden, !full);
  const TensorId received = b.tensor("received", Layout::kReceived, 0, hidden, false);
  const TensorId w1 = b.tensor("w1", Layout::kWeights, hidden, first, true);
  const TensorId gate_up = b.tensor(gated ? "gate_up" : "up", Layout::kReceived, 0, first, false);
  const TensorId activation = b.tensor("activation", Layout::kReceived, 0, width, false);
  const TensorId w2 = b.tensor("w2", Layout::kWeights, width, hidden, true);
  const TensorId expert_output = b.tensor("expert_output", Layout::kReceived, 0, hidden, false);
  const TensorId returned = b.tensor("returned", Layout::kSent, 0, hidden, false);
  TensorId router{}, output{};
  if (full) {
    const TensorId tokens = b.tensor("tokens", Layout::kTokens, 0, hidden, true);
    router = b.router();
    output = b.tensor("output", Layout::kTokens, 0, hidden, false);
    b.add("Permute", "Permute", {tokens, router}, sent);
  }
  b.add("Dispatch", "Dispatch", {sent, counts}, received);
  b.add("GMM1", "GroupedMatmul", {received, w1}, gate_up);
  const char* const activated = gated ? "SwiGLU" : "ReLU2";
  b.add(activated, activated, {gate_up}, activation);
  b.add("GMM2", "GroupedMatmul", {activation, w2}, expert_output);
  b.add("Combine", "Combine", {expert_output, counts}, returned);
  if (full) b.add("Accumulate", "Accumulate", {returned, router}, output);
  return std::move(b.graph);
}

}  // namespace

Graph forward_graph(const MoeShape& shape, Window window) { return forward_of(shape, window, true); }
Graph ungated_forward_graph(const MoeShape& shape, Window window) { return forward_of(shape, window, false); }

}  // namespace a3sim
