#include "models/graph/graph.h"

namespace a3sim {

Graph gathered_gemm_graph(const GatheredGemm& of) {
  Graph graph;
  const auto plain = [&](const char* name, std::uint32_t rows, std::uint32_t cols, bool external) {
    return graph.add_tensor({name, Layout::kPlain, rows, cols, of.dtype, external});
  };
  const std::uint32_t block = of.m / of.ranks;
  const TensorId b = plain("b", of.k, of.n, true);
  const auto add = [&](const char* name, const char* type, std::vector<TensorId> inputs, TensorId output) {
    OperatorNode node = make_node(name, type, std::move(inputs), {output});
    if (!of.tiles) node.split.output_dims = {-1};
    graph.add_operator(std::move(node));
  };
  if (!of.scatter) {
    const TensorId shard = plain("a_shard", block, of.k, true), a = plain("a", of.m, of.k, false);
    add("AllGather", "AllGather", {shard}, a);
    add("GMM", "GroupedMatmul", {a, b}, plain("c", of.m, of.n, false));
    return graph;
  }
  const TensorId a = plain("a", of.m, of.k, true), partial = plain("partial", of.m, of.n, false);
  const TensorId blocks = plain("blocks", of.m, of.n, false), c = plain("c", block, of.n, false);
  OperatorNode product = make_node("GMM", "GroupedMatmul", {a, b}, {partial});
  if (of.tiles) product.split = {{}, {0}};
  graph.add_operator(std::move(product));
  add("Scatter", "AllToAll", {partial}, blocks);
  OperatorNode reduce = make_node("Reduce", "ReduceBlocks", {blocks}, {c});
  reduce.cut = CutOptions{.task_rows = of.reduce_rows};
  graph.add_operator(std::move(reduce));
  return graph;
}

}  // namespace a3sim
