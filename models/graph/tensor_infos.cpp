#include "models/graph/graph.h"

namespace a3sim {
namespace {

template <class RoutedRows>
std::vector<TensorInfo> infos(const Graph& graph, const MoeShape& shape, const RoutedRows& routed_rows) {
  std::vector<TensorInfo> all;
  all.reserve(graph.tensors().size());
  for (const TensorNode& node : graph.tensors()) {
    std::uint32_t rows = node.rows;
    if (node.layout == Layout::kTokens) rows = shape.tokens;
    if (node.layout == Layout::kWeights) rows *= shape.experts_per_rank;
    if (node.layout == Layout::kSent || node.layout == Layout::kReceived) rows = routed_rows(node.layout);
    all.push_back({node.name, node.layout, node.dtype, rows, node.cols, node.external});
  }
  return all;
}

}  // namespace

std::vector<TensorInfo> tensor_infos(const Graph& graph, const RowLayout& layout, RankId rank) {
  return infos(graph, layout.shape(), [&](Layout tensor_layout) {
    return tensor_layout == Layout::kSent ? layout.sent_rows(index(rank)) : layout.received_rows(index(rank));
  });
}

std::vector<TensorInfo> tensor_infos(const Graph& graph, const MoeShape& shape) {
  return infos(graph, shape, [](Layout) { return 0U; });
}

}  // namespace a3sim
