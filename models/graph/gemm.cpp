#include "models/graph/graph.h"

namespace a3sim {

Graph gemm_graph(std::uint32_t m, std::uint32_t n, std::uint32_t k, bool experts, DataType dtype,
                 DataType result) {
  Graph graph;
  const Layout rows = experts ? Layout::kReceived : Layout::kPlain;
  const TensorId a = graph.add_tensor({"a", rows, m, k, dtype, true});
  const TensorId b = graph.add_tensor({"b", experts ? Layout::kWeights : Layout::kPlain, k, n, dtype, true});
  const TensorId c = graph.add_tensor({"c", rows, m, n, result, false});
  graph.add_operator(make_node("GMM", "GroupedMatmul", {a, b}, {c}));
  return graph;
}

}  // namespace a3sim
