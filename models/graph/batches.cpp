#include "models/graph/batches.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string>
#include <utility>

namespace a3sim {
namespace {

constexpr std::string_view kSumBefore = "sum_before_", kBatchMark = "_b";

// True for a tensor that all micro-batches read and none writes.
bool is_shared(const TensorNode& tensor) {
  return tensor.external && (tensor.layout == Layout::kWeights || tensor.name == "counts") &&
         !tensor.name.starts_with(kSumBefore);
}

}  // namespace

std::uint32_t batch_of(std::string_view op) {
  const std::size_t at = op.rfind(kBatchMark);
  std::uint32_t batch = 0;
  if (at == std::string_view::npos) return 0;
  const char* const end = op.data() + op.size();
  const auto [stop, error] = std::from_chars(op.data() + at + kBatchMark.size(), end, batch);
  return error == std::errc() && stop == end ? batch : 0;
}

Graph in_batches(const Graph& graph, std::uint32_t batches) {
  if (batches == 1) return graph;
  Graph result;
  // Sums of the previous micro-batch, by the name that the next one reads.
  std::map<std::string, TensorId> sums;
  std::vector<TensorId> ids(graph.tensors().size());
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    const std::string suffix = batch == 0 ? std::string() : fmt::format("{}{}", kBatchMark, batch);
    std::map<std::string, TensorId> made;
    for (std::uint32_t t = 0; t < ids.size(); ++t) {
      TensorNode tensor = graph.tensors()[t];
      if (batch > 0 && is_shared(tensor)) continue;
      if (const auto sum = sums.find(tensor.name); sum != sums.end()) {
        ids[t] = sum->second;
        continue;
      }
      const std::string name = tensor.name;
      tensor.name += suffix;
      ids[t] = result.add_tensor(tensor);
      if (name.starts_with("sum_w")) made[std::string(kSumBefore) + name.substr(4)] = ids[t];
    }
    sums = std::move(made);
    for (OperatorNode node : graph.operators()) {
      node.name += suffix;
      for (TensorId& input : node.inputs) input = ids[index(input)];
      for (TensorId& output : node.outputs) output = ids[index(output)];
      for (Hold& hold : node.holds) hold.tensor = ids[index(hold.tensor)];
      result.add_operator(std::move(node));
    }
  }
  return result;
}

}  // namespace a3sim
