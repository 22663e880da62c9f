#include "models/graph/plain_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/config/model_config.h"
#include "models/graph/yaml_graph.h"

namespace a3sim {
namespace {

bool is_elementwise(const OperatorNode& node) { return !Operators::get(node.type).row_widths(1).empty(); }

// Sets the shape's experts and their rows. The layout `received` has the same rows in all tensors.
void share_rows(const Config& config, std::uint32_t experts, PlainGraph& plain) {
  MoeShape& shape = plain.shape;
  shape.experts_per_rank = experts;
  shape.top_k = 1;
  const TensorNode* first = nullptr;
  for (const TensorNode& tensor : plain.graph.tensors()) {
    if (tensor.layout != Layout::kReceived) continue;
    if (first == nullptr) {
      first = &tensor;
      shape.tokens = tensor.rows;
      shape.hidden = tensor.cols;
    }
    shape.intermediate = tensor.cols;
    if (tensor.rows != shape.tokens)
      config.error("tensors", fmt::format("'{}' has {} rows of all experts, '{}' {}: expected as many",
                                          first->name, first->rows, tensor.name, tensor.rows));
  }
  if (first == nullptr) config.error("experts", "no tensor is laid out 'received': expected none");
}

}  // namespace

PlainGraph plain_graph_from_config(const Config& config, const SizeSymbols& workers) {
  constexpr std::int64_t kMostRanks = 64, kMostExperts = 65534;  // a task has 16 bits for an expert or none
  PlainGraph plain;
  plain.shape.ep = static_cast<std::uint32_t>(config.integer("ranks", 1, kMostRanks, 1));
  plain.shape.dtype = read_dtype(config);
  const auto experts = static_cast<std::uint32_t>(config.integer("experts", 0, kMostExperts, 0));
  if (experts > 0 && plain.shape.ep > 1)
    config.error("experts",
                 "rows of several ranks' experts follow a model's routing: include a model, or "
                 "leave ranks out");
  GraphScope scope{workers, plain.shape.dtype, experts};
  scope.sizes.emplace("ranks", plain.shape.ep);
  plain.graph = graph_from_config(config, scope);
  if (experts > 0) share_rows(config, experts, plain);
  return plain;
}

Graph without_tiles(const Graph& graph, std::optional<std::uint32_t> workers) {
  Graph own;
  for (const TensorNode& tensor : graph.tensors()) own.add_tensor(tensor);
  for (OperatorNode node : graph.operators()) {
    if (is_elementwise(node)) {
      node.split.inherits.clear();  // there may be no tiles to inherit
      if (workers) {
        CutOptions slabs;
        slabs.task_rows = std::max(1U, (graph.tensor(node.inputs[0]).rows + *workers - 1) / *workers);
        node.cut = slabs;
      }
    } else {
      node.split = Operators::get(node.type).split_spec();
      std::ranges::fill(node.split.output_dims, -1);
    }
    own.add_operator(std::move(node));
  }
  return own;
}

}  // namespace a3sim
