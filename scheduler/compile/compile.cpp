#include "scheduler/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "models/operators/engine_put.h"
#include "scheduler/compile/emission.h"
#include "scheduler/compile/expand.h"
#include "scheduler/compile/list_workers.h"
#include "scheduler/compile/plans.h"
#include "scheduler/compile/task_weights.h"
#include "scheduler/compile/turn_check.h"
#include "scheduler/compile/wiring.h"
#include "scheduler/compile/worker_keys.h"
#include "scheduler/orders/order_pools.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// A list holds the tasks of one unit, and does not say how they interleave with those of the other.
void check_lists(const CompileOptions& options) {
  if (!options.workers.one_queue()) return;
  for (const std::string& file : options.order.list_file) {
    if (file.empty()) continue;
    const WorkerKind& kind = options.workers.kind(CoreUnit::kMatrix);
    throw InputError(
        fmt::format("{}: order '{}': a list is of matrix or of vector tasks, and the {} of this machine have "
                    "one queue for "
                    "both: expected keys (ctq, vtq)",
                    file, options.order.name, kind.name));
  }
}

void check_options(const Graph& graph, const CompileOptions& options) {
  check(options.cut);
  for (const OperatorNode& node : graph.operators()) {
    if (node.cut) check(*node.cut);
    const CoreUnit unit = Operators::get(node.type).unit();
    const std::uint32_t queue = queue_of_type(options.workers, unit, node.type);
    if (queue != kNone && options.workers[queue].count > 0) continue;
    if (moved_by_engine(node.type))
      throw InputError(fmt::format("{} needs a copy engine; there is none", node.name));
    throw InputError(
        fmt::format("{} needs a worker that runs {} tasks; there are none", node.name, name_of(unit)));
  }
  check_lists(options);
  const auto by_expression = [](const auto& entry) { return entry.second != kListed; };
  if (options.kept > 0 && std::ranges::any_of(options.order.workers, by_expression)) {
    throw InputError(fmt::format(
        "{}: order '{}': workers that keys choose may differ between ranks that stand for others: take "
        "experiment.simulate all",
        options.order.where, options.order.name));
  }
}

// Joins are vector tasks, which even a graph of matrix operators may need.
void check_join_workers(const WiringCounts& counts, const CompileOptions& options) {
  if (counts.joins == 0 || options.workers.count(CoreUnit::kVector) > 0) return;
  throw InputError(
      "the graph's events need Join tasks, hence a worker that runs vector tasks; there are none");
}

void set_workers(std::vector<TaskDescriptor>& tasks, const WorkerPlan& plan,
                 const std::vector<std::uint8_t>& chosen) {
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    TaskDescriptor& td = tasks[t];
    td.worker_set = chosen.empty() ? plan.set_of[td.op] : chosen[t];
    td.queue_type = static_cast<std::uint8_t>(plan.sets[td.worker_set].queue_type);
  }
}

WorkerPlan worker_plan(const Taskflow& taskflow, const CompileOptions& options) {
  std::vector<OperatorQueue> operators;
  for (const OperatorInfo& op : taskflow.operators)
    operators.push_back({op.name, Operators::get(op.type).unit(), op.type});
  return assign_worker_sets(options.order, operators, options.workers);
}

// Sets what the schedules of all ranks have in common.
SscParts common_parts(const std::string& name, const CompileOptions& options, const Taskflow& taskflow,
                      const WorkerPlan& workers) {
  SscParts parts;
  parts.shape = options.shape;
  parts.graph = name;
  parts.order = options.order.name;
  parts.assignment = options.order.assignment;
  parts.kinds = options.workers;
  parts.operators = taskflow.operators;
  parts.tilings = taskflow.tilings;
  parts.worker_sets = workers.sets;
  return parts;
}

void set_capacities(SscParts& parts, const RowLayout& layout) {
  const MoeShape& shape = layout.shape();
  const std::uint32_t rank = index(parts.rank);
  parts.sent_capacity.clear();
  for (std::uint32_t e = 0; e < shape.experts(); ++e)
    parts.sent_capacity.push_back(layout.sent_slot(rank, e).size());
  parts.received_capacity.clear();
  for (std::uint32_t e = 0; e < shape.experts_per_rank; ++e) {
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      parts.received_capacity.push_back(layout.received_slot(rank, e, src).size());
    }
  }
}

// Tasks with their events, and the queues that hold them.
struct Ordered {
  Taskflow taskflow;
  WiringCounts counts;
  WorkerPlan workers;
  TaskWorkers chosen;
  QueueContents queues;
};

// Makes the tasks of all ranks, or of the representatives that begin with rank `first`, and orders them.
Ordered order_tasks(const Graph& graph, const CompileOptions& options, const RowLayout& layout,
                    std::uint32_t first) {
  Ordered ordered;
  ordered.taskflow = expand(graph, propagate_splits(graph, options.shape, options.cut), layout, options.cut,
                            options.kept, first);
  ordered.counts = wire(ordered.taskflow);
  check_join_workers(ordered.counts, options);
  ordered.workers = worker_plan(ordered.taskflow, options);
  const TaskflowView view(ordered.taskflow);
  const TaskWeights weights(view, layout, options);
  ordered.chosen = choose_workers(view, options, weights, ordered.workers);
  if (options.kept > 0 && first == 0) check_turns(view, options, weights);
  ordered.queues = emit(view, make_plans(view, options.order, weights, options.workers), options.workers,
                        fmt::format("{}: order '{}': ", options.order.where, options.order.name));
  list_workers(view, layout, options, ordered.queues, ordered.workers, ordered.chosen);
  return ordered;
}

// Checks that ranks one turn, half of the group and a turn less than the group further do what the representatives do.
void check_other_turns(const Graph& graph, const CompileOptions& options, const RowLayout& layout,
                       const Ordered& ordered) {
  const std::uint32_t turns = options.shape.ep / options.kept;
  for (const std::uint32_t turn : std::set{1U, turns / 2, turns - 1}) {
    if (turn == 0) continue;
    const Ordered other = order_tasks(graph, options, layout, turn * options.kept);
    check_turn({TaskflowView(ordered.taskflow), ordered.queues, ordered.chosen},
               {TaskflowView(other.taskflow), other.queues, other.chosen}, options);
  }
}

}  // namespace

Compilation compile(const Graph& graph, const std::string& name, const CompileOptions& options) {
  check_options(graph, options);
  if (options.kept > 0) check_turns(options);
  RowLayout layout(options.shape, options.capacity);
  layout.cut_at_sources(options.cut.sources);
  Ordered ordered = order_tasks(graph, options, layout, 0);
  if (options.kept > 0) check_other_turns(graph, options, layout, ordered);

  Compilation result;
  result.sharing = {ordered.counts.exact_pairs, ordered.counts.shared_pairs, ordered.counts.joins};
  Taskflow& taskflow = ordered.taskflow;
  const TaskWorkers& chosen = ordered.chosen;
  SscParts parts = common_parts(name, options, taskflow, ordered.workers);
  for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
    Taskflow::Rank& rank = taskflow.ranks[r];
    set_workers(rank.table.tasks, ordered.workers, chosen.empty() ? std::vector<std::uint8_t>() : chosen[r]);
    parts.rank = RankId{r};
    set_capacities(parts, layout);
    parts.tensors = std::move(rank.tensors);
    parts.tasks = std::move(rank.table.tasks);
    parts.regions = std::move(rank.table.regions);
    parts.events = std::move(rank.events);
    parts.queues = std::move(ordered.queues[r]);
    result.schedule.push_back(Ssc::build(parts));
  }
  return result;
}

}  // namespace a3sim
