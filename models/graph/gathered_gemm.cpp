#include "models/graph/graph.h"

namespace a3sim {

Graph gathered_gemm_graph(const GatheredGemm& shape) {
  Graph graph;
  const auto plain = [&](const char* name, std::uint32_t rows, std::uint32_t cols, bool external) {
    return graph.add_tensor({name, Layout::kPlain, rows, cols, shape.dtype, external});
  };
  const std::uint32_t block = shape.m / shape.ranks;
  const TensorId b = plain("b", shape.k, shape.n, true);
  const auto add = [&](const char* name, const char* type, std::vector<TensorId> inputs, TensorId output) {
    OperatorNode node = make_node(name, type, std::move(inputs), {output});
    if (!shape.tiles) node.split.output_dims = {-1};
    graph.add_operator(std::move(node));
  };
  if (!shape.scatter) {
    const TensorId shard = plain("a_shard", block, shape.k, true), a = plain("a", shape.m, shape.k, false);
    add("AllGather", "AllGather", {shard}, a);
    add("GMM", "GroupedMatmul", {a, b}, plain("c", shape.m, shape.n, false));
    return graph;
  }
  const TensorId a = plain("a", shape.m, shape.k, true), partial = plain("partial", shape.m, shape.n, false);
  const TensorId blocks = plain("blocks", shape.m, shape.n, false), c = plain("c", block, shape.n, false);
  OperatorNode product = make_node("GMM", "GroupedMatmul", {a, b}, {partial});
  if (shape.tiles) product.split = {{}, {0}};
  graph.add_operator(std::move(product));
  add("Scatter", "AllToAll", {partial}, blocks);
  OperatorNode reduce = make_node("Reduce", "ReduceBlocks", {blocks}, {c});
  reduce.cut = CutOptions{.task_rows = shape.reduce_rows};
  graph.add_operator(std::move(reduce));
  return graph;
}

}  // namespace a3sim
