#include "scheduler/compile/expand.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <span>

#include "scheduler/compile/turns.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

class Expander {
 public:
  Expander(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut,
           std::uint32_t kept, std::uint32_t first)
      : graph_(graph),
        splits_(splits),
        layout_(layout),
        cut_(cut),
        kept_(kept > 0 ? kept : layout.shape().ep),
        first_(first),
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
    taskflow_.first = first_;
    taskflow_.ranks.resize(kept_);
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      Taskflow::Rank& rank = taskflow_.ranks[r];
      rank.tensors = tensor_infos(graph_, layout_, RankId{first_ + r});
      if (r > 0) {  // other ranks have about as many
        rank.table.tasks.reserve(taskflow_.ranks[r - 1].table.tasks.size());
        rank.table.regions.reserve(taskflow_.ranks[r - 1].table.regions.size());
      }
      for (const OpId op : order_) fill(rank, RankId{first_ + r}, op);
      if (kept_ < taskflow_.group) turn_back(rank, layout_, kept_, first_);
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

  // If partitions are the rows of some source ranks, sets `src` of a tile's tasks to the first of them.
  void mark_sources(std::vector<TaskDescriptor>& tasks, std::size_t first, Tile tile,
                    const CutOptions& cut) const {
    const MoeShape& shape = layout_.shape();
    const std::uint32_t partitions = cut.sources > 0 ? partitions_of_sources(shape.ep, cut.sources) : 1;
    if (partitions == 1 || tile.count != shape.experts_per_rank * partitions) return;
    for (std::size_t i = first; i < tasks.size(); ++i)
      if (tasks[i].expert != kNoExpert) tasks[i].src = tile.index % partitions * cut.sources;
  }

  void fill(Taskflow::Rank& rank, RankId rank_id, OpId op) {
    const OperatorNode& node = graph_.op(op);
    OperatorInfo info = taskflow_.operators[index(op)];
    info.inputs = node.inputs;
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
      if (type.mover() == Mover::kNone) mark_sources(tasks, of_tile, {t, tiles}, context.cut);
    }
    if (!node.holds.empty()) hold(rank, rank_id, node, first);
    for (std::size_t i = first; i < tasks.size(); ++i) {
      tasks[i].task_index = static_cast<std::uint32_t>(i - first);
      tasks[i].task_split_num = static_cast<std::uint32_t>(tasks.size() - first);
      tasks[i].stage = static_cast<std::uint16_t>(info.stage);
    }
  }

  // Returns whether rows of a tensor come from other ranks: then each is a rank's, and none an expert's.
  bool brought_by_ranks(TensorId tensor) const {
    const std::optional<OpId> writer = graph_.writer(tensor);
    return writer && Operators::get(graph_.op(*writer).type).mover() != Mover::kNone;
  }

  // Returns the received rows that a task of an expert waits for. `shift` counts experts, or segments of experts if the
  // tensor's writer works in those.
  Rows shifted_rows(const Hold& hold, std::uint32_t expert, RankId rank) const {
    const std::optional<OpId> writer = graph_.writer(hold.tensor);
    const std::optional<CutOptions> cut = writer ? graph_.op(*writer).cut : std::nullopt;
    const std::uint32_t experts = layout_.shape().experts_per_rank;
    std::vector<std::uint32_t> ends;  // of segments
    for (std::uint32_t s = 0; ends.empty() || ends.back() < experts; ++s)
      ends.push_back((ends.empty() ? 0 : ends.back()) +
                     (cut && !cut->segments.empty() ? cut->segments[s] : 1));
    const std::int64_t own = std::ranges::upper_bound(ends, expert) - ends.begin();
    const std::int64_t wanted = own + hold.shift;
    if (wanted < 0 || wanted >= std::ssize(ends)) return {0, 0};
    const std::uint32_t first = wanted == 0 ? 0 : ends[static_cast<std::size_t>(wanted) - 1];
    return {layout_.received_expert(index(rank), first).begin,
            layout_.received_expert(index(rank), ends[static_cast<std::size_t>(wanted)] - 1).end};
  }

  // Returns what holds a task: rows of its expert, those that it writes if it is of no single one, or all.
  Region held_by(const Hold& hold, const TaskDescriptor& td, const Region& output, const Taskflow::Rank& rank,
                 RankId rank_id) const {
    const TensorInfo& tensor = rank.tensors[index(hold.tensor)];
    Region region{index(hold.tensor), index(rank_id), 0, tensor.rows, 0, 1, kHold};
    Rows rows{0, 0};
    const std::int64_t expert = std::int64_t{td.expert} + hold.shift;
    const std::uint32_t experts = layout_.shape().experts_per_rank;
    const bool by_expert = tensor.layout == Layout::kReceived ||
                           (tensor.layout == Layout::kPlain && td.expert != kNoExpert && tensor.rows > 1 &&
                            experts > 0 && tensor.rows % experts == 0 && !brought_by_ranks(hold.tensor));
    if (!by_expert) return region;
    if (tensor.layout == Layout::kPlain) {
      if (expert >= 0 && expert < experts)
        rows = equal_cut({0, tensor.rows}, static_cast<std::uint32_t>(expert), experts);
    } else if (td.expert == kNoExpert) {
      rows = rank.tensors[output.tensor].layout == Layout::kReceived ? output.rows() : Rows{0, tensor.rows};
    } else if (hold.shift != 0) {
      rows = shifted_rows(hold, td.expert, rank_id);
    } else {
      rows = layout_.received_expert(index(rank_id), td.expert);
    }
    region.row_begin = rows.begin;
    region.row_end = rows.end;
    return region;
  }

  // Puts regions of holds behind the inputs of an operator's tasks, which are the last ones of the table.
  void hold(Taskflow::Rank& rank, RankId rank_id, const OperatorNode& node, std::size_t first) const {
    TaskTable held;
    for (std::size_t i = first; i < rank.table.tasks.size(); ++i) {
      const TaskDescriptor& td = rank.table.tasks[i];
      const auto regions = std::span(rank.table.regions).subspan(td.first_region);
      const auto outputs = regions.subspan(td.num_inputs, td.num_outputs);
      std::vector<Region> inputs(regions.begin(), regions.begin() + td.num_inputs);
      for (const Hold& by : node.holds) inputs.push_back(held_by(by, td, outputs.front(), rank, rank_id));
      held.add(td, inputs, outputs);
    }
    if (held.tasks.empty()) return;
    const std::uint32_t begin = rank.table.tasks[first].first_region;
    rank.table.regions.resize(begin);
    rank.table.regions.insert(rank.table.regions.end(), held.regions.begin(), held.regions.end());
    for (std::size_t i = 0; i < held.tasks.size(); ++i) {
      held.tasks[i].first_region += begin;
      rank.table.tasks[first + i] = held.tasks[i];
    }
  }

  const Graph& graph_;
  const Splits& splits_;
  const RowLayout& layout_;
  const CutOptions& cut_;
  std::uint32_t kept_, first_;
  std::vector<OpId> order_;
  std::vector<std::uint32_t> tiling_positions_;  // one entry per operator
  Taskflow taskflow_;
};

}  // namespace

Taskflow expand(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut,
                std::uint32_t kept, std::uint32_t first) {
  return Expander(graph, splits, layout, cut, kept, first).run();
}

}  // namespace a3sim
