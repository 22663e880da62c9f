#include "models/graph/rows_once.h"

#include <string>
#include <string_view>

namespace a3sim {
namespace {

constexpr std::string_view kDispatchType = "Dispatch", kCombineType = "Combine", kBackwardEnd = "_bwd";

// Copies a graph, in which exchanges of rows are replaced.
class RowsOnce {
 public:
  RowsOnce(const Graph& graph, bool sums) : graph_(graph), sums_(sums) {
    for (const TensorNode& tensor : graph.tensors()) result_.add_tensor(tensor);
  }

  Graph run() {
    for (const OperatorNode& node : graph_.operators()) {
      if (node.type == kDispatchType)
        add_dispatch(node);
      else if (node.type == kCombineType && sums_)
        add_combine(node);
      else
        add_other(node);
    }
    return std::move(result_);
  }

 private:
  static bool is_backward(const OperatorNode& node) { return node.name.ends_with(kBackwardEnd); }
  static std::string suffix(const OperatorNode& node) {
    return std::string(is_backward(node) ? kBackwardEnd : std::string_view());
  }

  // Adds a tensor like `model`, with another name.
  TensorId add_like(TensorId model, const std::string& suffix) {
    TensorNode tensor = graph_.tensor(model);
    tensor.name += suffix;
    tensor.external = false;
    return result_.add_tensor(tensor);
  }

  // All experts' rows of a token are the same one until they are spread, so weights are multiplied there.
  void add_dispatch(const OperatorNode& node) {
    const TensorId once = add_like(node.outputs[0], "_once"), counts = node.inputs[1];
    OperatorNode sent = make_node(node.name, "DispatchOnce", node.inputs, {once});
    sent.holds = node.holds;
    result_.add_operator(std::move(sent));
    result_.add_operator(make_node("Spread" + suffix(node), is_backward(node) ? "SpreadWeighted" : "Spread",
                                   {once, counts}, {node.outputs[0]}));
  }

  void add_combine(const OperatorNode& node) {
    const TensorId summed = add_like(node.inputs[0], "_summed"), counts = node.inputs[1];
    result_.add_operator(make_node("Sum" + suffix(node),
                                   is_backward(node) ? "SumExpertsUnweighted" : "SumExperts",
                                   {node.inputs[0], counts}, {summed}));
    OperatorNode home = make_node(node.name, "CombineOnce", {summed, counts}, node.outputs);
    home.holds = node.holds;
    result_.add_operator(std::move(home));
  }

  void add_other(OperatorNode node) {
    if (node.type == "PermuteWeighted") node.type = "Permute";
    if (node.type == "Accumulate" && sums_) node.type = "AccumulateUnweighted";
    result_.add_operator(std::move(node));
  }

  const Graph& graph_;
  bool sums_;
  Graph result_;
};

}  // namespace

Graph with_rows_once(const Graph& graph, bool sums) { return RowsOnce(graph, sums).run(); }

}  // namespace a3sim
