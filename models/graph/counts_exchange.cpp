#include "models/graph/counts_exchange.h"

#include <string>
#include <string_view>
#include <utility>

namespace a3sim {
namespace {

constexpr std::string_view kDispatch = "Dispatch";

// Adds the exchange of counts before a dispatch. Returns the rows that arrive. Where rows are pulled, counts say that they
// are there.
TensorId add_counts(Graph& graph, const OperatorNode& dispatch, const MoeShape& shape, bool pull) {
  const TensorNode sent = graph.tensor(dispatch.inputs[0]);
  const std::string suffix = dispatch.name.substr(kDispatch.size());
  const auto add_rows = [&](const char* name, std::uint32_t rows, bool external) {
    return graph.add_tensor(
        {name + suffix, Layout::kPlain, rows, shape.experts(), DataType::kInt32, external});
  };
  const TensorId own = add_rows("counts_row", 1, true), all = add_rows("counts_rows", shape.ep, false);
  OperatorNode counts = make_node("Counts" + suffix, "AllGather", {own}, {all});
  counts.split.inherits.clear();
  counts.cut = CutOptions{};
  if (pull && !sent.external) counts.holds = {{dispatch.inputs[0]}};
  graph.add_operator(std::move(counts));
  return all;
}

}  // namespace

Graph with_counts(const Graph& graph, const MoeShape& shape, bool pull) {
  Graph result;
  for (const TensorNode& tensor : graph.tensors()) result.add_tensor(tensor);
  for (OperatorNode node : graph.operators()) {
    const bool once = node.type == "DispatchOnce";
    if (once || node.type == kDispatch) {
      node.holds.push_back({add_counts(result, node, shape, pull && !once)});
      if (pull && !once) node.type = "Pull";
    }
    result.add_operator(std::move(node));
  }
  return result;
}

}  // namespace a3sim
