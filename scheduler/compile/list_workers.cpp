#include "scheduler/compile/list_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "models/operators/operator.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

class ListScheduling {
 public:
  ListScheduling(const TaskflowView& taskflow, const RowLayout& layout, const CompileOptions& options,
                 const QueueContents& queues, WorkerPlan& plan, TaskWorkers& chosen)
      : taskflow_(taskflow),
        layout_(layout),
        options_(options),
        queues_(queues),
        plan_(plan),
        chosen_(chosen),
        listed_(taskflow.operators.size(), false) {
    find_listed();
    if (std::ranges::count(listed_, true) == 0) return;
    if (options.path_rates.flops_per_second <= 0 || options.path_rates.bytes_per_second <= 0)
      throw InputError("list scheduling needs the rates of a cube and of a vector core");
    for (const OperatorInfo& op : taskflow.operators) types_.push_back(&Operators::get(op.type));
    for (const TaskflowView::Rank& rank : taskflow.ranks) {
      std::vector<Event>& events = events_.emplace_back();
      for (const EventDescriptor& event : rank.events) events.push_back({event.threshold, 0});
      if (chosen_.size() < events_.size()) choose_sets(rank.tasks);
      next_.emplace_back(options.workers.size(), 0);
      free_.emplace_back(options.workers.workers(), 0);
    }
    add_sets();
  }

  // Every queue goes on as far as its events allow, until all are done. Queues are legal, so one always can.
  void run() {
    for (bool moved = !events_.empty(); moved;) {
      moved = false;
      for (std::uint32_t r = 0; r < queues_.size(); ++r)
        for (std::uint32_t q = 0; q < queues_[r].size(); ++q)
          while (go_on(r, q)) moved = true;
    }
  }

 private:
  struct Event {
    std::uint32_t missing;
    double ready;  // s
  };

  void find_listed() {
    std::vector<OperatorQueue> operators;
    for (const OperatorInfo& op : taskflow_.operators)
      operators.push_back({op.name, Operators::get(op.type).unit(), op.type});
    for (const auto& [entry, key] : options_.order.workers) {
      if (key != kListed) continue;
      for (const std::size_t op : operators_of(entry, options_.order, operators)) listed_[op] = true;
    }
  }

  void choose_sets(std::span<const TaskDescriptor> tasks) {
    std::vector<std::uint8_t>& sets = chosen_.emplace_back();
    for (const TaskDescriptor& td : tasks) sets.push_back(plan_.set_of[td.op]);
  }

  void add_sets() {
    constexpr std::size_t kMostSets = std::size_t{std::numeric_limits<std::uint8_t>::max()} + 1;
    first_set_ = plan_.sets.size();
    for (std::uint32_t q = 0; q < options_.workers.size(); ++q)
      for (std::uint32_t w = 0; w < options_.workers[q].count; ++w) plan_.sets.push_back({q, w, 1});
    if (plan_.sets.size() > kMostSets)
      throw InputError(fmt::format("{}: order '{}': lists of more than {} workers", options_.order.where,
                                   options_.order.name, kMostSets));
  }

  bool go_on(std::uint32_t rank, std::uint32_t queue) {
    const std::vector<std::uint32_t>& tasks = queues_[rank][queue];
    std::uint32_t& next = next_[rank][queue];
    if (next == tasks.size()) return false;
    const std::uint32_t task = tasks[next];
    const TaskDescriptor& td = taskflow_.ranks[rank].tasks[task];
    const bool waits = td.dependent_event != kNone;
    if (waits && events_[rank][td.dependent_event].missing > 0) return false;
    ++next;
    const double end = give(rank, task, waits ? events_[rank][td.dependent_event].ready : 0);
    Event& event = events_[td.trigger_rank][td.trigger_event];
    event.ready = std::max(event.ready, end);
    --event.missing;
    return true;
  }

  // Returns when the task ends.
  double give(std::uint32_t rank, std::uint32_t task, double ready) {
    const TaskDescriptor& td = taskflow_.ranks[rank].tasks[task];
    const WorkerSet& set = plan_.sets[chosen_[rank][task]];
    const std::uint32_t first = options_.workers.first_worker(set.queue_type) + set.first;
    std::uint32_t best = first;
    for (std::uint32_t w = first; w < first + set.count && free_[rank][best] > ready; ++w)
      if (free_[rank][w] < free_[rank][best]) best = w;
    if (listed_[td.op]) chosen_[rank][task] = static_cast<std::uint8_t>(first_set_ + best);
    return free_[rank][best] = std::max(ready, free_[rank][best]) + cost(rank, task);
  }

  double cost(std::uint32_t r, std::uint32_t task) {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    const TaskDescriptor& td = rank.tasks[task];
    const WorkContext context{layout_, rank.tensors, taskflow_.operators, taskflow_.tilings, RankId{r}};
    work_.clear();
    types_[td.op]->work(context, {td, read_by(rank.inputs(td)), rank.outputs(td)}, work_);
    if (work_.kind == WorkKind::kCube)
      return static_cast<double>(work_.operations()) / options_.path_rates.flops_per_second;
    double bytes = 0;
    for (const Stream& stream : work_.streams) bytes += static_cast<double>(stream.bytes);
    return bytes / options_.path_rates.bytes_per_second;
  }

  const TaskflowView& taskflow_;
  const RowLayout& layout_;
  const CompileOptions& options_;
  const QueueContents& queues_;
  WorkerPlan& plan_;
  TaskWorkers& chosen_;
  std::vector<bool> listed_;                      // one entry per operator
  std::vector<const Operator*> types_;            // one entry per operator
  std::size_t first_set_ = 0;                     // first set of a single worker; kind by kind
  std::vector<std::vector<Event>> events_;        // one entry per rank
  std::vector<std::vector<std::uint32_t>> next_;  // one entry per rank, then queue
  std::vector<std::vector<double>> free_;         // one entry per rank, then worker: when it is free, in s
  Work work_;
};

}  // namespace

void list_workers(const TaskflowView& taskflow, const RowLayout& layout, const CompileOptions& options,
                  const QueueContents& queues, WorkerPlan& plan, TaskWorkers& chosen) {
  ListScheduling(taskflow, layout, options, queues, plan, chosen).run();
}

}  // namespace a3sim
