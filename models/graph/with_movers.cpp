#include "models/graph/with_movers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "models/operators/engine_put.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Returns whether a name fits a pattern: * matches any characters. Only the last * is tried again, as what
// those before it match can stay as short as possible.
bool name_fits(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

[[noreturn]] void refuse_mover(const MoverChoice& choice, const std::string& why) {
  throw InputError(
      fmt::format("experiment.movers: {}: {}: {}", choice.operators, name_of(choice.mover), why));
}

// Copies a graph, in which rows have other movers.
class MoverChange {
 public:
  MoverChange(const Graph& graph, std::span<const MoverChoice> movers) : graph_(graph) {
    for (const MoverChoice& choice : movers) choose(choice);
    for (const auto& [op, choice] : chosen_)
      if (choice->mover == RowMover::kProduct) merged_[product_of(op, *choice)] = op;
    copy_tensors();
  }

  Graph run() {
    for (std::uint32_t op = 0; op < graph_.operators().size(); ++op) add(op);
    return std::move(result_);
  }

 private:
  // An entry may name operators of the other pass.
  void choose(const MoverChoice& choice) {
    for (std::uint32_t op = 0; op < graph_.operators().size(); ++op) {
      const OperatorNode& node = graph_.operators()[op];
      if (!name_fits(node.name, choice.operators)) continue;
      if (Operators::get(node.type).mover() != Mover::kPush)
        refuse_mover(choice, fmt::format("'{}' ({}) puts no rows", node.name, node.type));
      if (choice.mover == RowMover::kCopyEngine && Operators::find(by_engine(node.type)) == nullptr)
        refuse_mover(choice,
                     fmt::format("copy engines do not know how to run '{}' ({})", node.name, node.type));
      chosen_[op] = &choice;
    }
  }

  std::uint32_t product_of(std::uint32_t op, const MoverChoice& choice) const {
    const OperatorNode& node = graph_.operators()[op];
    const auto writer = graph_.writer(node.inputs[0]);
    if (node.type != "Combine" || !writer || graph_.op(*writer).type != "GroupedMatmul")
      refuse_mover(choice, fmt::format("'{}' does not send a product's rows home as they are", node.name));
    for (const OperatorNode& reader : graph_.operators())
      if (reader.name != node.name && std::ranges::count(reader.inputs, node.inputs[0]) > 0)
        refuse_mover(choice, fmt::format("'{}' reads what '{}' sends too", reader.name, node.name));
    return static_cast<std::uint32_t>(index(*writer));
  }

  // The rows of a product that sends them never reach its rank's memory.
  void copy_tensors() {
    std::set<TensorId> gone;
    for (const auto& [product, combine] : merged_) gone.insert(graph_.operators()[product].outputs[0]);
    for (std::uint32_t t = 0; t < graph_.tensors().size(); ++t)
      ids_.push_back(gone.contains(TensorId{t}) ? TensorId{} : result_.add_tensor(graph_.tensors()[t]));
  }

  void add_copy(OperatorNode node) {
    for (TensorId& input : node.inputs) input = ids_[index(input)];
    for (TensorId& output : node.outputs) output = ids_[index(output)];
    for (Hold& hold : node.holds) hold.tensor = ids_[index(hold.tensor)];
    result_.add_operator(std::move(node));
  }

  void add(std::uint32_t op) {
    OperatorNode node = graph_.operators()[op];
    if (const auto merged = merged_.find(op); merged != merged_.end()) {
      const OperatorNode& combine = graph_.operators()[merged->second];
      OperatorNode sends = make_node(node.name, "GroupedMatmulSend",
                                     {node.inputs[0], node.inputs[1], combine.inputs[1]}, combine.outputs);
      sends.transposed = node.transposed;
      sends.tiling = node.tiling;
      sends.cut = node.cut;
      sends.holds = node.holds;
      sends.holds.insert(sends.holds.end(), combine.holds.begin(), combine.holds.end());
      add_copy(std::move(sends));
      return;
    }
    const auto chosen = chosen_.find(op);
    if (chosen != chosen_.end() && chosen->second->mover == RowMover::kProduct) return;
    if (chosen != chosen_.end() && chosen->second->mover == RowMover::kCopyEngine)
      node.type = by_engine(node.type);
    add_copy(std::move(node));
  }

  const Graph& graph_;
  Graph result_;
  std::vector<TensorId> ids_;                           // by tensor
  std::map<std::uint32_t, const MoverChoice*> chosen_;  // by operator
  std::map<std::uint32_t, std::uint32_t> merged_;       // product: the Combine that it takes over
};

}  // namespace

bool fits(const MoverChoice& choice, std::string_view name) { return name_fits(name, choice.operators); }

Graph with_movers(const Graph& graph, std::span<const MoverChoice> movers) {
  return movers.empty() ? graph : MoverChange(graph, movers).run();
}

}  // namespace a3sim
