#include <fmt/format.h>

#include "models/graph/graph.h"

namespace a3sim {

Graph elementwise_graph(const ElementwiseShape& shape) {
  Graph graph;
  CutOptions cut;
  cut.task_rows = shape.task_rows;
  const std::vector<std::uint32_t> widths = Operators::get(shape.type).row_widths(shape.cols);
  for (std::uint32_t slice = 0; slice < shape.slices; ++slice) {
    const std::uint32_t rows = shape.rows / shape.slices;
    std::vector<TensorId> inputs;
    for (std::uint32_t i = 0; i + 1 < widths.size(); ++i) {
      const std::string name = fmt::format("in{}_{}", slice, i);
      inputs.push_back(graph.add_tensor({name, Layout::kPlain, rows, widths[i], shape.dtype, true}));
    }
    for (std::uint32_t sweep = 0; sweep < shape.sweeps; ++sweep) {
      const bool only = shape.slices == 1 && shape.sweeps == 1;
      const std::string number = only ? "" : fmt::format("_{}_{}", slice, sweep);
      const TensorId out =
          graph.add_tensor({"out" + number, Layout::kPlain, rows, widths.back(), shape.dtype, false});
      OperatorNode node = make_node(shape.type + number, shape.type, inputs, {out});
      node.split.inherits.clear();
      node.cut = cut;
      graph.add_operator(std::move(node));
    }
  }
  return graph;
}

}  // namespace a3sim
