#include "models/graph/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Copies a graph, in which some operators and tensors are repeated for each block of columns.
class ColumnCut {
 public:
  ColumnCut(const Graph& graph, std::uint32_t columns) : graph_(graph), columns_(columns) {
    for (const OperatorNode& node : graph.operators()) {
      if (node.type != "Combine") continue;
      const auto product = graph.writer(node.inputs[0]);
      if (!product || graph.op(*product).type != "GroupedMatmul") continue;
      cut_.insert(cut_.end(), {index(*product), op_number(node)});
      weights_[graph.op(*product).inputs[1]] = graph.op(*product).transposed;
      for (const OperatorNode& reader : graph.operators())
        if (std::ranges::count(reader.inputs, node.outputs[0]) > 0) cut_.push_back(op_number(reader));
    }
  }

  Graph run() {
    for (std::uint32_t t = 0; t < graph_.tensors().size(); ++t) copy_tensor(TensorId{t});
    for (std::uint32_t op = 0; op < graph_.operators().size(); ++op) {
      if (std::ranges::count(cut_, op) == 0) add(graph_.operators()[op], 0, "");
    }
    // Goes block by block, so that a block's sends precede the product of the next block.
    for (std::uint32_t block = 0; block < columns_; ++block) {
      for (std::uint32_t op = 0; op < graph_.operators().size(); ++op) {
        if (std::ranges::count(cut_, op) > 0) add(graph_.operators()[op], block, suffix(block));
      }
    }
    return std::move(result_);
  }

 private:
  std::uint32_t op_number(const OperatorNode& node) const {
    return static_cast<std::uint32_t>(&node - graph_.operators().data());
  }
  static std::string suffix(std::uint32_t block) { return fmt::format("_c{}", block); }

  std::uint32_t part_of(std::uint32_t size, const std::string& tensor) const {
    if (size % columns_ == 0) return size / columns_;
    throw InputError(
        fmt::format("'{}' has {} columns, which {} blocks do not divide", tensor, size, columns_));
  }

  // Weights that are stored transposed have the result's columns as rows.
  void copy_tensor(TensorId id) {
    TensorNode tensor = graph_.tensor(id);
    const auto weights = weights_.find(id);
    const auto writer = graph_.writer(id);
    const bool written = writer && std::ranges::count(cut_, index(*writer)) > 0;
    std::vector<TensorId>& copies = copies_.emplace_back();
    if (!written && weights == weights_.end()) {
      copies.assign(columns_, result_.add_tensor(tensor));
      return;
    }
    std::uint32_t& size = !written && weights->second ? tensor.rows : tensor.cols;
    size = part_of(size, tensor.name);
    const std::string name = tensor.name;
    for (std::uint32_t block = 0; block < columns_; ++block) {
      tensor.name = name + suffix(block);
      copies.push_back(result_.add_tensor(tensor));
    }
  }

  void add(OperatorNode node, std::uint32_t block, const std::string& suffix) {
    node.name += suffix;
    for (TensorId& input : node.inputs) input = copies_[index(input)][block];
    for (TensorId& output : node.outputs) output = copies_[index(output)][block];
    for (Hold& hold : node.holds) hold.tensor = copies_[index(hold.tensor)][block];
    result_.add_operator(std::move(node));
  }

  const Graph& graph_;
  std::uint32_t columns_;
  Graph result_;
  std::vector<std::uint32_t> cut_;             // operators
  std::map<TensorId, bool> weights_;           // weights of the products; true if they are stored transposed
  std::vector<std::vector<TensorId>> copies_;  // by tensor, then block
};

}  // namespace

Graph in_columns(const Graph& graph, std::uint32_t columns) {
  return columns == 1 ? graph : ColumnCut(graph, columns).run();
}

}  // namespace a3sim
