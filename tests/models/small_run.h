#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/graph/graph.h"
#include "models/operators/data.h"

namespace a3sim::test {

using Matrix = std::vector<std::vector<float>>;  // one entry per row

// The experts of every rank's tokens, and their weights: [rank][token * top_k + slot].
struct Routed {
  std::vector<std::vector<std::uint32_t>> experts;
  std::vector<std::vector<float>> weights;

  RoutingCounts counts(const MoeShape& shape) const;
};

// Runs a graph, expanded on all ranks of a small shape, with real tensors.
class SmallRun {
 public:
  SmallRun(const Graph& graph, const RowLayout& layout, const CutOptions& cut, const Routed& routed);

  // Set and return a tensor's real rows.
  void set(std::uint32_t rank, const std::string& tensor, const Matrix& values);
  Matrix get(std::uint32_t rank, const std::string& tensor) const;

  // Runs every task once, in random order: a task may start as soon as all rows of its inputs' regions are
  // written. Fails the test if an element is written twice or never, or if no task may start.
  void run(std::uint64_t seed);

  const TaskTable& tasks(std::uint32_t rank) const { return tables_[rank]; }
  const std::vector<TensorInfo>& tensors(std::uint32_t rank) const { return tensors_[rank]; }
  WorkContext context(std::uint32_t rank) const;
  TaskView view(std::uint32_t rank, std::size_t task) const;
  // Returns the tasks of an operator on a rank.
  std::vector<TaskView> tasks_of(std::uint32_t rank, const std::string& op) const;
  // Returns the tiles of each operator and the partitions of each tensor.
  const std::vector<std::uint32_t>& tiles() const { return tiles_; }

 private:
  void split(const CutOptions& cut);
  void expand(const CutOptions& cut);
  TensorId id(const std::string& tensor) const;
  bool may_start(const TaskView& task) const;
  void mark(const Region& region, const Tiling& tiling);
  void finish_tile(const Region& region);

  const Graph& graph_;
  const RowLayout& layout_;
  std::vector<OperatorInfo> operators_;
  std::vector<Tiling> tilings_;
  std::vector<std::uint32_t> tiles_;
  std::vector<std::vector<TensorInfo>> tensors_;  // one entry per rank
  std::vector<TaskTable> tables_;                 // one per rank
  // Elements of capacity rows that a task has claimed, and those that may be read, by rank and tensor. In
  // packed layouts blocks move with the counts, so a tile may be read only when all of its shares are done.
  std::vector<std::vector<std::vector<bool>>> claimed_, written_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> shares_done_;
  Data data_;
};

// Returns numbers in [-1, 1) that bf16 can hold. They depend on the seed only.
Matrix random_matrix(std::uint64_t seed, std::uint32_t rows, std::uint32_t cols);

}  // namespace a3sim::test
