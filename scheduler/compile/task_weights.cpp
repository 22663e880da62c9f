#include "scheduler/compile/task_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "models/graph/batches.h"
#include "models/taskflow/block_grid.h"
#include "scheduler/compile/event_consumers.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentions(const std::string& key, std::string_view name) {
  for (std::size_t at = key.find(name); at != std::string::npos; at = key.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_identifier(key[at - 1])) && (end == key.size() || !in_identifier(key[end])))
      return true;
  }
  return false;
}

double bytes_of(const Work& work) {
  if (work.kind == WorkKind::kPut) return static_cast<double>(work.put_bytes);
  if (work.kind != WorkKind::kCube)
    return static_cast<double>(work.stream_bytes(false) + work.stream_bytes(true));
  double elements = 0;
  for (const Gemm& g : work.gemms) {
    elements += static_cast<double>(g.m) * g.k + static_cast<double>(g.k) * g.n;
  }
  // The share's blocks have this many elements of C: multiply-accumulates divided by K.
  if (!work.gemms.empty() && work.gemms.front().k > 0)
    elements += static_cast<double>(work.macs()) / work.gemms.front().k;
  return elements * element_bytes(work.dtype);
}

// Rows of weights do not count: they do not depend on the routing.
double rows_of(const TaskflowView::Rank& rank, const TaskDescriptor& td) {
  const std::span<const Region> inputs = rank.inputs(td), outputs = rank.outputs(td);
  if (outputs.empty()) return 0;
  const bool weights = rank.tensors[outputs[0].tensor].layout == Layout::kWeights;
  return weights && !inputs.empty() ? inputs[0].rows().size() : outputs[0].rows().size();
}

// Returns the tasks of all ranks in an order in which each comes after its predecessors.
std::vector<std::pair<std::uint32_t, std::uint32_t>> topological_order(
    const TaskflowView& taskflow, const std::vector<EventConsumers>& consumers) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  std::vector<std::vector<std::uint32_t>> counts;
  for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
    counts.emplace_back(taskflow.ranks[r].events.size());
    for (const std::uint32_t task : consumers[r].free()) order.emplace_back(r, task);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TaskDescriptor& td = taskflow.ranks[order[i].first].tasks[order[i].second];
    const std::uint32_t rank = td.trigger_rank, event = td.trigger_event;
    if (++counts[rank][event] != taskflow.ranks[rank].events[event].threshold) continue;
    for (const std::uint32_t task : consumers[rank].waiting(event)) order.emplace_back(rank, task);
  }
  return order;
}

class Chains {
 public:
  explicit Chains(const TaskflowView& taskflow) : taskflow_(taskflow) {
    for (const TaskflowView::Rank& rank : taskflow.ranks)
      consumers_.emplace_back(rank.tasks, rank.events.size());
    order_ = topological_order(taskflow, consumers_);
  }

  void depths(std::vector<std::vector<TaskWeights::Values>>& values) const {
    std::vector<std::vector<double>> events = per_event();
    for (const auto& [r, t] : order_) {
      const TaskDescriptor& td = taskflow_.ranks[r].tasks[t];
      double& depth = values[r][t].depth;
      if (td.dependent_event != kNone) depth = events[r][td.dependent_event];
      double& event = events[td.trigger_rank][td.trigger_event];
      event = std::max(event, depth + 1);
    }
  }

  // On entry `path` holds each task's own time.
  void paths(std::vector<std::vector<TaskWeights::Values>>& values) const {
    std::vector<std::vector<double>> events = per_event();
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const auto [r, t] = *it;
      const TaskDescriptor& td = taskflow_.ranks[r].tasks[t];
      double& path = values[r][t].path;
      path += events[td.trigger_rank][td.trigger_event];
      if (td.dependent_event == kNone) continue;
      double& event = events[r][td.dependent_event];
      event = std::max(event, path);
    }
  }

 private:
  std::vector<std::vector<double>> per_event() const {
    std::vector<std::vector<double>> values;
    for (const TaskflowView::Rank& rank : taskflow_.ranks) values.emplace_back(rank.events.size());
    return values;
  }

  const TaskflowView& taskflow_;
  std::vector<EventConsumers> consumers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_;
};

}  // namespace

bool mentions(const OrderSpec& order, std::string_view name) {
  if (order.functions[0] || order.functions[1]) return true;  // a program may use any attribute
  for (const auto& [entry, key] : order.workers)
    if (mentions(key, name)) return true;
  return std::any_of(std::begin(order.keys), std::end(order.keys), [&](const std::vector<std::string>& keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return mentions(key, name); });
  });
}

TaskWeights::TaskWeights(const TaskflowView& taskflow, const RowLayout& layout,
                         const CompileOptions& options) {
  const OrderSpec& order = options.order;
  const bool path = mentions(order, "path"), depth = mentions(order, "depth");
  const bool work_needed = path || mentions(order, "bytes") || mentions(order, "flops");
  const bool of_descriptor = mentions(order, "rows") || mentions(order, "distance") ||
                             mentions(order, "node") || mentions(order, "block");
  if (!work_needed && !depth && !of_descriptor) return;
  if (path && (!(options.path_rates.flops_per_second > 0) || !(options.path_rates.bytes_per_second > 0))) {
    throw InputError(fmt::format("{}: order '{}' sorts by path, which needs positive rates of the workers",
                                 order.where, order.name));
  }
  for (const TaskflowView::Rank& rank : taskflow.ranks) {
    std::vector<Values>& values = values_.emplace_back(rank.tasks.size());
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      values[t].rows = rows_of(rank, rank.tasks[t]);
      values[t].distance = options.placement.distance(rank.tasks[t].src, rank.tasks[t].dst);
      values[t].node = options.placement.node(rank.tasks[t].dst);
    }
    count_blocks(taskflow, rank, values);
  }
  if (work_needed) weigh_work(taskflow, layout, options.path_rates, path);
  if (!path && !depth) return;
  const Chains chains(taskflow);
  if (depth) chains.depths(values_);
  if (path) chains.paths(values_);
}

// Shares of one tile follow one another, and tiles of an operator too.
void TaskWeights::count_blocks(const TaskflowView& taskflow, const TaskflowView::Rank& rank,
                               std::vector<Values>& values) {
  std::uint64_t before = 0, next = 0;
  for (std::size_t t = 0; t < rank.tasks.size(); ++t) {
    const TaskDescriptor& td = rank.tasks[t];
    if (td.task_index == 0) before = next = 0;
    const Tiling* const tiling = taskflow.tiling(td);
    if (!tiling || td.num_outputs == 0) continue;
    const Region& out = rank.outputs(td)[0];
    if (out.share == 0) {
      before = next;
      next += BlockGrid(out.rows().size(), rank.tensors[out.tensor].cols, *tiling).count();
    }
    values[t].block = static_cast<double>(before + out.share);
  }
}

void TaskWeights::weigh_work(const TaskflowView& taskflow, const RowLayout& layout, const PathRates& rates,
                             bool path) {
  std::vector<const Operator*> types;
  for (const OperatorInfo& op : taskflow.operators) types.push_back(&Operators::get(op.type));
  Work work;
  for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
    const TaskflowView::Rank& rank = taskflow.ranks[r];
    const WorkContext context{layout, rank.tensors, taskflow.operators, taskflow.tilings,
                              RankId{taskflow.first + r}};
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      const TaskDescriptor& td = rank.tasks[t];
      Values& values = values_[r][t];
      work.clear();
      types[td.op]->work(context, {td, read_by(rank.inputs(td)), rank.outputs(td)}, work);
      values.bytes = bytes_of(work);
      values.flops = static_cast<double>(work.operations());
      if (!path) continue;
      const bool cube = work.kind == WorkKind::kCube;
      const double amount = cube ? values.flops : values.bytes;
      const double rate = cube ? rates.flops_per_second : rates.bytes_per_second;
      values.path = std::ceil(amount * 1e12 / rate);
    }
  }
}

Attributes attributes_of(const TaskflowView& taskflow, const TaskWeights& weights, std::uint32_t rank,
                         std::uint32_t task) {
  Attributes a =
      attributes_of(taskflow.ranks[rank].tasks[task], RankId{taskflow.first + rank}, taskflow.group);
  const TaskWeights::Values weight = weights.values(rank, task);
  a.bytes = weight.bytes;
  a.flops = weight.flops;
  a.depth = weight.depth;
  a.path = weight.path;
  a.rows = weight.rows;
  a.block = weight.block;
  a.distance = weight.distance;
  a.node = weight.node;
  a.batch = batch_of(taskflow.operators[taskflow.ranks[rank].tasks[task].op].name);
  return a;
}

}  // namespace a3sim
