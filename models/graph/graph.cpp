#include "models/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<TensorInfo> operands(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<TensorInfo> infos;
  infos.reserve(ids.size());
  for (const TensorId id : ids) {
    const TensorNode& node = graph.tensor(id);
    infos.push_back({node.name, node.layout, node.dtype, node.rows, node.cols, node.external});
  }
  return infos;
}

[[noreturn]] void refuse(const OperatorNode& node, const std::string& why) {
  throw InputError(fmt::format("operator '{}' ({}): {}", node.name, node.type, why));
}

void check_operands(const Graph& graph, const OperatorNode& node) {
  const Operator& op = Operators::get(node.type);
  if (node.inputs.size() != op.num_inputs() || node.outputs.size() != op.num_outputs()) {
    refuse(node, fmt::format("takes {} inputs and {} outputs, not {} and {}", op.num_inputs(),
                             op.num_outputs(), node.inputs.size(), node.outputs.size()));
  }
  if (node.split.output_dims.size() != node.outputs.size()) {
    refuse(node, fmt::format("its split names {} output dimensions, it has {} outputs",
                             node.split.output_dims.size(), node.outputs.size()));
  }
  for (const SplitSpec::Inherit& inherit : node.split.inherits) {
    if (inherit.input >= node.inputs.size()) refuse(node, fmt::format("inherits input {}", inherit.input));
  }
  if ((node.transposed || node.tiling) && op.unit() != CoreUnit::kMatrix) {
    refuse(node, "only matrix operators are transposed or have a tiling");
  }
  if (node.tiling && (node.tiling->base_m == 0 || node.tiling->base_n == 0 || node.tiling->base_k == 0 ||
                      node.tiling->step_k == 0)) {
    refuse(node, "its tiling has an empty block");
  }
  if (node.cut) check(*node.cut);
  constexpr std::size_t kMostRegions = 255;  // a task's inputs are counted in 8 bits
  if (node.inputs.size() + node.holds.size() > kMostRegions) refuse(node, "has too many holds");
  const std::string mismatch =
      op.mismatch(operands(graph, node.inputs), operands(graph, node.outputs), node.transposed);
  if (!mismatch.empty()) refuse(node, mismatch);
}

// Returns a cycle among operators that each have an unfinished producer.
std::string name_cycle(const Graph& graph, const std::vector<std::uint32_t>& missing) {
  const auto producer = [&](OpId id) {
    OpId found = id;
    for (const TensorId input : graph.op(id).inputs) {
      const std::optional<OpId> writer = graph.writer(input);
      if (writer && missing[index(*writer)] > 0) found = *writer;
    }
    return found;
  };
  OpId at{static_cast<std::uint32_t>(
      std::find_if(missing.begin(), missing.end(), [](std::uint32_t n) { return n > 0; }) - missing.begin())};
  // A walk backward from any operator is on the cycle after as many steps as there are operators.
  for (std::size_t step = 0; step < missing.size(); ++step) at = producer(at);
  std::string names = graph.op(at).name;
  for (OpId op = producer(at); op != at; op = producer(op)) names = graph.op(op).name + " -> " + names;
  return graph.op(at).name + " -> " + names;
}

}  // namespace

TensorId Graph::add_tensor(TensorNode tensor) {
  for (const TensorNode& other : tensors_) {
    if (other.name == tensor.name) throw InputError(fmt::format("tensor '{}' is defined twice", tensor.name));
  }
  tensors_.push_back(std::move(tensor));
  writers_.emplace_back();
  return TensorId{static_cast<std::uint32_t>(tensors_.size() - 1)};
}

OpId Graph::add_operator(OperatorNode node) {
  for (const OperatorNode& other : operators_) {
    if (other.name == node.name) throw InputError(fmt::format("operator '{}' is defined twice", node.name));
  }
  check_operands(*this, node);
  for (const TensorId output : node.outputs) {
    if (tensor(output).external)
      refuse(node, fmt::format("writes the external tensor '{}'", tensor(output).name));
    if (writer(output)) {
      refuse(node, fmt::format("tensor '{}' is written by '{}' already", tensor(output).name,
                               op(*writer(output)).name));
    }
  }
  const OpId id{static_cast<std::uint32_t>(operators_.size())};
  for (const TensorId output : node.outputs) writers_[index(output)] = id;
  operators_.push_back(std::move(node));
  return id;
}

std::vector<OpId> Graph::topological_order() const {
  for (const OperatorNode& node : operators_) {
    for (const TensorId input : node.inputs) {
      if (tensor(input).external || writer(input)) continue;
      refuse(node, fmt::format("reads '{}', which no operator writes and which is not external",
                               tensor(input).name));
    }
  }
  std::vector<std::vector<std::uint32_t>> readers(operators_.size());
  std::vector<std::uint32_t> missing(operators_.size());
  for (std::uint32_t id = 0; id < operators_.size(); ++id) {
    for (const TensorId input : operators_[id].inputs) {
      if (!writer(input)) continue;
      readers[index(*writer(input))].push_back(id);
      ++missing[id];
    }
  }
  // Boost's topological_sort does not define which ready operator comes first, so schedules would depend on
  // its version.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t id = 0; id < operators_.size(); ++id) {
    if (missing[id] == 0) ready.push(id);
  }
  std::vector<OpId> order;
  while (!ready.empty()) {
    const std::uint32_t id = ready.top();
    ready.pop();
    order.push_back(OpId{id});
    for (const std::uint32_t reader : readers[id]) {
      if (--missing[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() < operators_.size()) {
    throw InputError("the operators form a cycle: " + name_cycle(*this, missing));
  }
  return order;
}

std::vector<std::uint32_t> Graph::stages() const {
  std::vector<std::uint32_t> stages(operators_.size());
  for (const OpId id : topological_order()) {
    for (const TensorId input : op(id).inputs) {
      if (writer(input)) stages[index(id)] = std::max(stages[index(id)], stages[index(*writer(input))] + 1);
    }
  }
  return stages;
}

OperatorNode make_node(std::string name, std::string type, std::vector<TensorId> inputs,
                       std::vector<TensorId> outputs) {
  OperatorNode node;
  node.split = Operators::get(type).split_spec();
  node.name = std::move(name);
  node.type = std::move(type);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

std::vector<OperatorInfo> operator_infos(const Graph& graph) {
  const std::vector<std::uint32_t> stages = graph.stages();
  std::vector<OperatorInfo> infos;
  for (const OperatorNode& node : graph.operators()) {
    infos.push_back({node.name, node.type, stages[infos.size()], node.transposed, node.inputs, node.outputs});
    for (const Hold& hold : node.holds) infos.back().inputs.push_back(hold.tensor);
  }
  return infos;
}

}  // namespace a3sim
