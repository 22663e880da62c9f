#include "models/graph/builder.h"

namespace a3sim {

TensorId GraphBuilder::tensor(const std::string& name, Layout layout, std::uint32_t rows, std::uint32_t cols,
                              bool external) {
  return graph.add_tensor({name, layout, rows, cols, shape.dtype, external});
}

TensorId GraphBuilder::counts() {
  return graph.add_tensor({"counts", Layout::kPlain, shape.ep, shape.experts(), DataType::kInt32, true});
}

TensorId GraphBuilder::router() {
  return graph.add_tensor({"router", Layout::kTokens, 0, shape.top_k, DataType::kFp32, true});
}

void GraphBuilder::add(const std::string& name, const std::string& type,
                       std::initializer_list<TensorId> inputs, TensorId output, bool transposed) {
  OperatorNode node = make_node(name, type, inputs, {output});
  node.transposed = transposed;
  graph.add_operator(std::move(node));
}

}  // namespace a3sim
