#include "models/graph/graph.h"

namespace a3sim {

Graph swiglu_add_graph(std::uint32_t rows, std::uint32_t width, std::uint32_t tile_rows, DataType dtype) {
  Graph graph;
  const TensorId gate_up = graph.add_tensor({"gate_up", Layout::kPlain, rows, 2 * width, dtype, true});
  const TensorId activation = graph.add_tensor({"activation", Layout::kPlain, rows, width, dtype, false});
  const TensorId other = graph.add_tensor({"other", Layout::kPlain, rows, width, dtype, true});
  const TensorId sum = graph.add_tensor({"sum", Layout::kPlain, rows, width, dtype, false});
  CutOptions cut;
  cut.task_rows = tile_rows;

  OperatorNode swiglu = make_node("SwiGLU", "SwiGLU", {gate_up}, {activation});
  swiglu.split.inherits.clear();
  swiglu.cut = cut;
  graph.add_operator(std::move(swiglu));

  OperatorNode add = make_node("Add", "Add", {activation, other}, {sum});
  add.cut = cut;
  graph.add_operator(std::move(add));
  return graph;
}

}  // namespace a3sim
