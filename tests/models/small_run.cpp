#include "tests/models/small_run.h"

#include <catch2/catch.hpp>

#include "models/taskflow/block_grid.h"
#include "sim/core/rng.h"

namespace a3sim::test {
namespace {

std::vector<std::vector<TensorInfo>> tensors_by_rank(const Graph& graph, const RowLayout& layout) {
  std::vector<std::vector<TensorInfo>> all;
  for (std::uint32_t rank = 0; rank < layout.shape().ep; ++rank) {
    all.push_back(tensor_infos(graph, layout, RankId{rank}));
  }
  return all;
}

}  // namespace

RoutingCounts Routed::counts(const MoeShape& shape) const {
  RoutingCounts counts(shape.ep, shape.experts());
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    for (const std::uint32_t expert : experts[rank]) {
      if (expert != kNone) ++counts.at(rank, expert);
    }
  }
  return counts;
}

SmallRun::SmallRun(const Graph& graph, const RowLayout& layout, const CutOptions& cut, const Routed& routed)
    : graph_(graph),
      layout_(layout),
      operators_(operator_infos(graph)),
      tensors_(tensors_by_rank(graph, layout)),
      data_(layout, tensors_) {
  for (std::uint32_t rank = 0; rank < routed.experts.size(); ++rank) {
    data_.sent[rank] = sent_rows(layout.shape(), routed.experts[rank], routed.weights[rank]);
  }
  for (const auto& tensors : tensors_) {
    auto& masks = written_.emplace_back();
    for (const TensorInfo& tensor : tensors) {
      masks.emplace_back(std::size_t{tensor.rows} * tensor.cols, tensor.external);
    }
  }
  claimed_ = written_;
  split(cut);
  expand(cut);
}

// The rules of split propagation, written for all operators that have one dimension to split: 0.
void SmallRun::split(const CutOptions& cut) {
  const std::vector<TensorInfo> infos = tensor_infos(graph_, layout_.shape());
  std::vector<std::uint32_t> parts(infos.size(), 1);
  tiles_.resize(graph_.operators().size());
  for (const OpId op : graph_.topological_order()) {
    const OperatorNode& node = graph_.op(op);
    std::vector<TensorInfo> inputs;
    for (const TensorId input : node.inputs) inputs.push_back(infos[index(input)]);
    std::uint32_t tiles = 0;
    for (const auto& inherit : node.split.inherits) {
      const std::uint32_t of_input = parts[index(node.inputs[inherit.input])];
      tiles = tiles == 0 || tiles == of_input ? of_input : 1;
    }
    if (tiles == 0) {
      tiles = Operators::get(node.type).task_number(layout_.shape(), node.cut.value_or(cut), inputs);
    }
    tiles_[index(op)] = tiles;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      parts[index(node.outputs[i])] = node.split.output_dims[i] == 0 ? tiles : 1;
    }
  }
}

void SmallRun::expand(const CutOptions& cut) {
  for (const OperatorNode& node : graph_.operators())
    tilings_.push_back(node.tiling.value_or(Tiling{4, 3, 2, 1}));
  tables_.resize(tensors_.size());
  for (std::uint32_t rank = 0; rank < tables_.size(); ++rank) {
    for (std::uint32_t op = 0; op < operators_.size(); ++op) {
      const OperatorNode& node = graph_.op(OpId{op});
      const FillContext context{layout_.shape(),        layout_,  tensors_[rank],
                                operators_[op],         OpId{op}, RankId{rank},
                                node.cut.value_or(cut), op,       tilings_[op]};
      for (std::uint32_t tile = 0; tile < tiles_[op]; ++tile) {
        Operators::get(node.type).fill_config(context, {tile, tiles_[op]}, tables_[rank]);
      }
    }
  }
}

TensorId SmallRun::id(const std::string& tensor) const {
  for (std::uint32_t i = 0; i < graph_.tensors().size(); ++i) {
    if (graph_.tensors()[i].name == tensor) return TensorId{i};
  }
  throw std::logic_error("no tensor " + tensor);
}

void SmallRun::set(std::uint32_t rank, const std::string& tensor, const Matrix& values) {
  TensorData& to = data_.tensor(RankId{rank}, id(tensor));
  REQUIRE(values.size() == to.rows);
  for (std::uint32_t r = 0; r < to.rows; ++r) {
    REQUIRE(values[r].size() == to.cols);
    std::copy(values[r].begin(), values[r].end(), to.row(r).begin());
  }
}

Matrix SmallRun::get(std::uint32_t rank, const std::string& tensor) const {
  const TensorData& from = data_.tensor(RankId{rank}, id(tensor));
  Matrix values;
  for (std::uint32_t r = 0; r < from.rows; ++r) values.emplace_back(from.row(r).begin(), from.row(r).end());
  return values;
}

WorkContext SmallRun::context(std::uint32_t rank) const {
  return {layout_, tensors_[rank], operators_, tilings_, RankId{rank}};
}

TaskView SmallRun::view(std::uint32_t rank, std::size_t task) const {
  const TaskTable& table = tables_[rank];
  const TaskDescriptor& td = table.tasks[task];
  const std::span<const Region> regions(table.regions);
  return {td, regions.subspan(td.first_region, td.num_inputs),
          regions.subspan(td.first_region + td.num_inputs, td.num_outputs)};
}

std::vector<TaskView> SmallRun::tasks_of(std::uint32_t rank, const std::string& op) const {
  std::vector<TaskView> found;
  for (std::size_t task = 0; task < tables_[rank].tasks.size(); ++task) {
    const TaskView candidate = view(rank, task);
    if (operators_[candidate.td.op].name == op) found.push_back(candidate);
  }
  return found;
}

bool SmallRun::may_start(const TaskView& task) const {
  for (const Region& region : task.inputs) {
    if (region.flags & kMetadata) continue;
    const std::uint64_t cols = tensors_[region.rank][region.tensor].cols;
    const auto& mask = written_[region.rank][region.tensor];
    for (std::uint64_t at = region.row_begin * cols; at < region.row_end * cols; ++at) {
      if (!mask[at]) return false;
    }
  }
  return true;
}

void SmallRun::mark(const Region& region, const Tiling& tiling) {
  const std::uint32_t cols = tensors_[region.rank][region.tensor].cols;
  const BlockGrid grid(region.rows().size(), cols, tiling);
  for (std::uint32_t b = region.share; b < grid.count(); b += region.shares) {
    const BlockGrid::Block block = grid.block(b);
    for (std::uint32_t r = block.row; r < block.row + block.rows; ++r) {
      for (std::uint32_t c = block.col; c < block.col + block.cols; ++c) {
        auto element = claimed_[region.rank][region.tensor][std::size_t{region.row_begin + r} * cols + c];
        if (element) FAIL("written twice: " << graph_.tensors()[region.tensor].name << " row " << r);
        element = true;
      }
    }
  }
  finish_tile(region);
}

void SmallRun::finish_tile(const Region& region) {
  if (++shares_done_[{region.rank, region.tensor, region.row_begin}] < region.shares) return;
  const std::uint32_t cols = tensors_[region.rank][region.tensor].cols;
  const auto& claimed = claimed_[region.rank][region.tensor];
  for (std::size_t at = std::size_t{region.row_begin} * cols; at < std::size_t{region.row_end} * cols; ++at) {
    written_[region.rank][region.tensor][at] = claimed[at];
  }
}

void SmallRun::run(std::uint64_t seed) {
  std::vector<std::pair<std::uint32_t, std::size_t>> waiting;
  for (std::uint32_t rank = 0; rank < tables_.size(); ++rank) {
    for (std::size_t task = 0; task < tables_[rank].tasks.size(); ++task) waiting.emplace_back(rank, task);
  }
  Rng rng(seed);
  while (!waiting.empty()) {
    std::size_t at = rng.below(static_cast<std::uint32_t>(waiting.size())), tried = 0;
    while (tried < waiting.size() && !may_start(view(waiting[at].first, waiting[at].second))) {
      at = (at + 1) % waiting.size();
      ++tried;
    }
    if (tried == waiting.size()) FAIL("no task may start");
    const auto [rank, task] = waiting[at];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
    const TaskView chosen = view(rank, task);
    const Tiling& tiling = tilings_[chosen.td.op];
    Operators::get(operators_[chosen.td.op].type).compute(context(rank), chosen, data_);
    for (const Region& region : chosen.outputs) mark(region, tiling);
  }
  for (const auto& masks : written_) {
    for (std::size_t tensor = 0; tensor < masks.size(); ++tensor) {
      INFO("never written in part: " << graph_.tensors()[tensor].name);
      REQUIRE(std::find(masks[tensor].begin(), masks[tensor].end(), false) == masks[tensor].end());
    }
  }
}

Matrix random_matrix(std::uint64_t seed, std::uint32_t rows, std::uint32_t cols) {
  Rng rng(seed, 77);
  Matrix matrix(rows, std::vector<float>(cols));
  for (auto& row : matrix) {
    for (float& value : row) value = (static_cast<float>(rng.below(256)) - 128.0F) / 128.0F;
  }
  return matrix;
}

}  // namespace a3sim::test
