#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/operators/operator.h"

namespace a3sim {

// A tensor of the graph. Its rows on each rank are not yet known.
struct TensorNode {
  std::string name;
  Layout layout = Layout::kPlain;
  // kPlain: all rows; kWeights: K, the rows of one expert. Other layouts take their rows from the routing.
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  DataType dtype = DataType::kBf16;
  bool external = false;  // not written by any operator
  friend bool operator==(const TensorNode&, const TensorNode&) = default;
};

// The dimension along which a tensor is partitioned and the number of parts; (-1, 1) if it is not.
struct Partition {
  int dim = -1;
  std::uint32_t num = 1;
  friend bool operator==(Partition, Partition) = default;
};

// A further condition for the start of an operator's tasks, in addition to the data that they read. A task
// waits until the rows of a tensor for its expert, or for the expert `shift` further, are written. Where the
// tensor's writer works in segments of experts, `shift` counts segments. In a received tensor these are the expert's rows. Plain rows that divide evenly among experts belong to them in
// turn, unless ranks send them to one another, as they do counts. In any other tensor they are all rows.
struct Hold {
  TensorId tensor;
  int shift = 0;
  friend bool operator==(const Hold&, const Hold&) = default;
};

// A node of the operator dependency graph (ODG).
struct OperatorNode {
  std::string name;  // unique
  std::string type;  // a registered operator
  std::vector<TensorId> inputs, outputs;
  SplitSpec split;
  std::optional<CutOptions> cut;  // overrides the compilation's
  std::optional<Tiling> tiling;   // matrix operators
  bool transposed = false;        // matrix operators: weights are read as [N x K]
  std::vector<Hold> holds{};      // may form a cycle with the operator itself, for another expert
  friend bool operator==(const OperatorNode&, const OperatorNode&) = default;
};

// The ODG. An edge leads from the operator that writes a tensor to each operator that reads it.
class Graph {
 public:
  // Adds a tensor. Throws InputError for a duplicate name.
  TensorId add_tensor(TensorNode tensor);
  // Adds an operator. Throws InputError for an unknown type, operands that the type does not accept, a
  // duplicate name, or a tensor that already has a writer.
  OpId add_operator(OperatorNode node);

  std::span<const TensorNode> tensors() const { return tensors_; }
  std::span<const OperatorNode> operators() const { return operators_; }
  const TensorNode& tensor(TensorId id) const { return tensors_[index(id)]; }
  const OperatorNode& op(OpId id) const { return operators_[index(id)]; }

  // Returns the operator that writes a tensor, or nullopt for an external one.
  std::optional<OpId> writer(TensorId id) const { return writers_[index(id)]; }
  // Returns operators in topological order, ties by id. Throws InputError that names the operators of a
  // cycle, or an operator that reads a tensor that is neither written nor external.
  std::vector<OpId> topological_order() const;
  // Returns the longest path from a source to each operator, counted in operators. Throws what
  // topological_order() throws.
  std::vector<std::uint32_t> stages() const;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  std::vector<TensorNode> tensors_;
  std::vector<OperatorNode> operators_;
  std::vector<std::optional<OpId>> writers_;
};

// Makes a node with the operator's default split. Throws InputError for an unknown type.
OperatorNode make_node(std::string name, std::string type, std::vector<TensorId> inputs,
                       std::vector<TensorId> outputs);

// Returns the graph's tensors as `rank` holds them, with the capacities of `layout` as rows.
std::vector<TensorInfo> tensor_infos(const Graph& graph, const RowLayout& layout, RankId rank);
// Returns the same with 0 rows for sent and received tensors, as Operator::task_number expects.
std::vector<TensorInfo> tensor_infos(const Graph& graph, const MoeShape& shape);
// Returns the graph's operators as tasks refer to them. Tensors of holds follow an operator's inputs.
std::vector<OperatorInfo> operator_infos(const Graph& graph);

// The timed part of a graph: kTransport is from the start of Dispatch to the end of Combine; kFull adds
// Permute and Accumulate.
enum class Window : std::uint8_t { kTransport, kFull };
constexpr auto names_of(Window) { return std::to_array<std::string_view>({"transport", "full"}); }

// The operators that a framework runs on weight gradients after the products: none, a cast to fp32, or adding
// them to a bf16 or fp32 sum over micro-batches.
enum class WeightGradients : std::uint8_t { kNone, kCastFp32, kAddBf16, kAddFp32 };
constexpr auto names_of(WeightGradients) {
  return std::to_array<std::string_view>({"none", "cast_fp32", "add_bf16", "add_fp32"});
}

Graph forward_graph(const MoeShape& shape, Window window);
Graph backward_graph(const MoeShape& shape, Window window, WeightGradients then = WeightGradients::kNone);
// An elementwise operator of `type` on rows x cols. Divides the rows into `slices` and repeats the operator
// `sweeps` times on each slice before the next one, in tasks of `task_rows`.
struct ElementwiseShape {
  std::string type;
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t sweeps = 1, slices = 1;
  std::uint32_t task_rows = 128;
  DataType dtype = DataType::kBf16;
};
Graph elementwise_graph(const ElementwiseShape& shape);

}  // namespace a3sim
