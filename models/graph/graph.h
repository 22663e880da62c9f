#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/operators/operator.h"

namespace a3sim {

// A tensor of the graph, before any rank's rows are known.
struct TensorNode {
  std::string name;
  Layout layout = Layout::kPlain;
  std::uint32_t rows =
      0;  // kPlain: rows; kWeights: K, the rows of one expert; else they follow from the routing
  std::uint32_t cols = 0;
  DataType dtype = DataType::kBf16;
  bool external = false;  // no operator writes it
  friend bool operator==(const TensorNode&, const TensorNode&) = default;
};

// How far a tensor is partitioned: (dimension, parts), (-1, 1) where it is not.
struct Partition {
  int dim = -1;
  std::uint32_t num = 1;
  friend bool operator==(Partition, Partition) = default;
};

// A node of the operator dependency graph (ODG).
struct OperatorNode {
  std::string name;  // unique
  std::string type;  // a registered operator
  std::vector<TensorId> inputs, outputs;
  SplitSpec split;
  std::optional<CutOptions> cut;  // instead of the compilation's
  std::optional<Tiling> tiling;   // matrix operators
  bool transposed = false;        // matrix operators: weights are read as [N x K]
  friend bool operator==(const OperatorNode&, const OperatorNode&) = default;
};

// The ODG: an edge leads from the operator that writes a tensor to each that reads it.
class Graph {
 public:
  // Throws InputError for a name used twice.
  TensorId add_tensor(TensorNode tensor);
  // Throws InputError for an unknown type, operands that the type cannot take, a name or a writer used twice.
  OpId add_operator(OperatorNode node);

  std::span<const TensorNode> tensors() const { return tensors_; }
  std::span<const OperatorNode> operators() const { return operators_; }
  const TensorNode& tensor(TensorId id) const { return tensors_[index(id)]; }
  const OperatorNode& op(OpId id) const { return operators_[index(id)]; }

  // The operator that writes a tensor; none for external ones.
  std::optional<OpId> writer(TensorId id) const { return writers_[index(id)]; }
  // Operators in topological order, ties by id. Throws InputError that names the operators of a cycle, or an
  // operator that reads what nobody gives.
  std::vector<OpId> topological_order() const;
  // Longest path from a source, in operators, by OpId. Throws as topological_order() does.
  std::vector<std::uint32_t> stages() const;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  std::vector<TensorNode> tensors_;
  std::vector<OperatorNode> operators_;
  std::vector<std::optional<OpId>> writers_;
};

// A node with its operator's own split. Throws InputError for an unknown type.
OperatorNode make_node(std::string name, std::string type, std::vector<TensorId> inputs,
                       std::vector<TensorId> outputs);

// The graph's tensors as one rank holds them: rows are the capacities of `layout`.
std::vector<TensorInfo> tensor_infos(const Graph& graph, const RowLayout& layout, RankId rank);
// The same before any rank's rows are known: sent and received tensors have 0 rows. For
// Operator::task_number.
std::vector<TensorInfo> tensor_infos(const Graph& graph, const MoeShape& shape);
// The graph's operators as tasks refer to them.
std::vector<OperatorInfo> operator_infos(const Graph& graph);

// What is timed: transport is from the start of Dispatch to the end of Combine, full has Permute and
// Accumulate too.
enum class Window : std::uint8_t { kTransport, kFull };
constexpr auto names_of(Window) { return std::to_array<std::string_view>({"transport", "full"}); }

// What a framework does to the gradients of weights behind the products, in operators of their own: nothing, a
// cast to fp32, or adding them to a sum over micro-batches, which is bf16 or fp32.
enum class WeightGradients : std::uint8_t { kNone, kCastFp32, kAddBf16, kAddFp32 };
constexpr auto names_of(WeightGradients) {
  return std::to_array<std::string_view>({"none", "cast_fp32", "add_bf16", "add_fp32"});
}

Graph forward_graph(const MoeShape& shape, Window window);
Graph backward_graph(const MoeShape& shape, Window window, WeightGradients then = WeightGradients::kNone);
// SwiGLU on rows x 2*width, then Add on rows x width; SwiGLU is cut into tiles of `tile_rows`.
Graph swiglu_add_graph(std::uint32_t rows, std::uint32_t width, std::uint32_t tile_rows, DataType dtype);
// An elementwise operator of `type` on rows x cols, made `sweeps` times on each of `slices` parts of the
// rows, in tasks of `task_rows`: all sweeps of a slice before the next one's.
struct ElementwiseShape {
  std::string type;
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t sweeps = 1, slices = 1;
  std::uint32_t task_rows = 128;
  DataType dtype = DataType::kBf16;
};
Graph elementwise_graph(const ElementwiseShape& shape);
// One product of m x k by k x n; with experts, the m rows are theirs and each has a k x n matrix of its own.
Graph gemm_graph(std::uint32_t m, std::uint32_t n, std::uint32_t k, bool experts, DataType dtype,
                 DataType result);
// A product of a tensor-parallel group. Gathered: each rank has m / ranks rows of A, gets all of them, and
// multiplies them by its own k x n matrix. Scattered: each rank multiplies m x k by k x n, and keeps the sums over all
// ranks of m / ranks rows. `tiles`: the product is cut into tiles of each rank's rows, and so are the rows that move.
struct GatheredGemm {
  std::uint32_t m = 0, n = 0, k = 0, ranks = 1;
  bool scatter = false, tiles = false;
  std::uint32_t reduce_rows = 128;  // that a task adds up
  DataType dtype = DataType::kBf16;
};
Graph gathered_gemm_graph(const GatheredGemm& of);

}  // namespace a3sim
