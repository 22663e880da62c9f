#include "scheduler/compile/expand.h"

#include <fmt/format.h>

#include <limits>

#include "scheduler/compile/turns.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

class Expander {
 public:
  Expander(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut,
           std::uint32_t kept)
      : graph_(graph),
        splits_(splits),
        layout_(layout),
        cut_(cut),
        kept_(kept > 0 ? kept : layout.shape().ep),
        order_(graph.topological_order()) {
    // One operator number is reserved for Join.
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max() - 1;
    if (graph.operators().size() > kMost) {
      throw InputError(fmt::format("the graph has {} operators; at most {} fit a task descriptor",
                                   graph.operators().size(), kMost));
    }
    taskflow_.operators = operator_infos(graph);
    for (const OperatorNode& node : graph.operators()) {
      const bool matrix = Operators::get(node.type).unit() == CoreUnit::kMatrix;
      tiling_positions_.push_back(matrix ? static_cast<std::uint32_t>(taskflow_.tilings.size()) : kNone);
      if (matrix) taskflow_.tilings.push_back(node.tiling.value_or(cut.tiling));
    }
  }

  Taskflow run() {
    taskflow_.group = layout_.shape().ep;
    taskflow_.ranks.resize(kept_);
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      Taskflow::Rank& rank = taskflow_.ranks[r];
      rank.tensors = tensor_infos(graph_, layout_, RankId{r});
      if (r > 0) {  // other ranks have about as many
        rank.table.tasks.reserve(taskflow_.ranks[r - 1].table.tasks.size());
        rank.table.regions.reserve(taskflow_.ranks[r - 1].table.regions.size());
      }
      for (const OpId op : order_) fill(rank, RankId{r}, op);
      if (kept_ < taskflow_.group) turn_back(rank, layout_, kept_);
    }
    return std::move(taskflow_);
  }

 private:
  // In a group without experts the tiles of a product have rows of one rank after another. Sets `src` to that
  // rank and `chunk` to the tile's index among its tiles, for orders to sort by.
  void mark_block(std::vector<TaskDescriptor>& tasks, std::size_t first, Tile tile) const {
    const std::uint32_t ranks = layout_.shape().ep;
    if (layout_.shape().experts() > 0 || ranks == 1 || tile.count % ranks != 0) return;
    for (std::size_t i = first; i < tasks.size(); ++i) {
      tasks[i].src = tile.index / (tile.count / ranks);
      tasks[i].chunk = tile.index % (tile.count / ranks);
    }
  }

  void fill(Taskflow::Rank& rank, RankId rank_id, OpId op) {
    const OperatorNode& node = graph_.op(op);
    const OperatorInfo& info = taskflow_.operators[index(op)];
    const std::uint32_t position = tiling_positions_[index(op)];
    const Tiling tiling = position == kNone ? Tiling{} : taskflow_.tilings[position];
    const FillContext context{layout_.shape(),         layout_,  rank.tensors, info, op, rank_id,
                              node.cut.value_or(cut_), position, tiling};
    const Operator& type = Operators::get(node.type);
    std::vector<TaskDescriptor>& tasks = rank.table.tasks;
    const std::size_t first = tasks.size();
    const std::uint32_t tiles = splits_.tiles[index(op)];
    for (std::uint32_t t = 0; t < tiles; ++t) {
      const std::size_t of_tile = tasks.size();
      type.fill_config(context, {t, tiles}, rank.table);
      if (type.unit() == CoreUnit::kMatrix) mark_block(tasks, of_tile, {t, tiles});
    }
    for (std::size_t i = first; i < tasks.size(); ++i) {
      tasks[i].task_index = static_cast<std::uint32_t>(i - first);
      tasks[i].task_split_num = static_cast<std::uint32_t>(tasks.size() - first);
      tasks[i].stage = static_cast<std::uint16_t>(info.stage);
    }
  }

  const Graph& graph_;
  const Splits& splits_;
  const RowLayout& layout_;
  const CutOptions& cut_;
  std::uint32_t kept_;
  std::vector<OpId> order_;
  std::vector<std::uint32_t> tiling_positions_;  // by operator
  Taskflow taskflow_;
};

}  // namespace

Taskflow expand(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut,
                std::uint32_t kept) {
  return Expander(graph, splits, layout, cut, kept).run();
}

}  // namespace a3sim
