#include "scheduler/plans.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<std::string> operator_names(const TaskflowView& taskflow) {
  std::vector<std::string> names;
  for (const OperatorInfo& op : taskflow.operators) names.push_back(op.name);
  return names;
}

class KeyPlanner {
 public:
  KeyPlanner(const TaskflowView& taskflow, const OrderSpec& order, QueueType queue,
             const TaskWeights& weights)
      : taskflow_(taskflow),
        weights_(weights),
        queue_(queue),
        program_(order, queue, operator_names(taskflow)) {}

  QueuePlan plan(std::uint32_t r) {
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
    const std::size_t keys = program_.size();
    std::vector<std::uint32_t> ids;
    std::vector<double> values;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      if (static_cast<QueueType>(tasks[t].queue_type) != queue_) continue;
      ids.push_back(t);
      values.resize(ids.size() * keys);
      program_.evaluate(attributes_of(taskflow_, weights_, r, t), std::span(values).last(keys));
    }
    std::vector<std::uint32_t> order(ids.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t k = 0; k < keys; ++k) {
        if (values[a * keys + k] != values[b * keys + k]) return values[a * keys + k] < values[b * keys + k];
      }
      return a < b;
    });
    QueuePlan result;
    for (const std::uint32_t i : order) result.tasks.push_back(ids[i]);
    return result;
  }

 private:
  const TaskflowView& taskflow_;
  const TaskWeights& weights_;
  QueueType queue_;
  KeyProgram program_;
};

class ListPlanner {
 public:
  ListPlanner(const TaskflowView& taskflow, const OrderSpec& order, QueueType queue)
      : taskflow_(taskflow), order_(order), queue_(queue), names_(operator_names(taskflow)) {
    for (const TaskflowView::Rank& rank : taskflow.ranks) {
      std::vector<std::uint32_t>& first = first_task_.emplace_back(names_.size(), kNone);
      for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
        if (rank.tasks[t].task_index == 0) first[rank.tasks[t].op] = t;
      }
    }
  }

  void plan(Plans& plans) const {
    const auto q = static_cast<std::size_t>(queue_);
    std::vector<std::vector<bool>> listed;
    for (const TaskflowView::Rank& rank : taskflow_.ranks) listed.emplace_back(rank.tasks.size());
    for (const OrderSpec::Explicit& line : order_.list[q]) {
      const std::uint32_t task = find(line);
      if (task == kNone) continue;
      if (listed[line.rank][task]) refuse(line, fmt::format("{}[{}] stands twice", line.op, line.index));
      listed[line.rank][task] = true;
      plans[line.rank][q].tasks.push_back(task);
    }
    for (std::uint32_t r = 0; r < plans.size(); ++r) {
      plans[r][q].fixed = true;
      require_all(r, listed[r]);
    }
  }

 private:
  [[noreturn]] void refuse(const OrderSpec::Explicit& line, const std::string& what) const {
    throw InputError(
        fmt::format("{}:{}: {}", order_.list_file[static_cast<std::size_t>(queue_)], line.line, what));
  }

  // The task that a line names; kNone for an operator of another graph that the order serves.
  std::uint32_t find(const OrderSpec::Explicit& line) const {
    const auto op =
        static_cast<std::size_t>(std::find(names_.begin(), names_.end(), line.op) - names_.begin());
    if (op == names_.size()) {
      if (std::find(order_.elsewhere.begin(), order_.elsewhere.end(), line.op) != order_.elsewhere.end())
        return kNone;
      refuse(line, fmt::format("unknown operator '{}'{}", line.op, suggestion(line.op, names_)));
    }
    if (line.rank >= taskflow_.ranks.size()) {
      refuse(line, fmt::format("rank {}, but there are {} ranks", line.rank, taskflow_.ranks.size()));
    }
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[line.rank].tasks;
    const std::uint32_t first = first_task_[line.rank][op];
    const std::uint32_t count = first == kNone ? 0 : tasks[first].task_split_num;
    if (line.index >= count) {
      refuse(line, fmt::format("{}[{}], but {} has {} tasks on rank {}", line.op, line.index, line.op, count,
                               line.rank));
    }
    if (static_cast<QueueType>(tasks[first].queue_type) != queue_) {
      refuse(line, fmt::format("{} is not of the {}", line.op, name_of(queue_)));
    }
    return first + line.index;
  }

  void require_all(std::uint32_t rank, const std::vector<bool>& listed) const {
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[rank].tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      if (static_cast<QueueType>(tasks[t].queue_type) != queue_ || listed[t]) continue;
      throw InputError(fmt::format("{}: {} of rank {} is missing",
                                   order_.list_file[static_cast<std::size_t>(queue_)],
                                   taskflow_.task_name(rank, t), rank));
    }
  }

  const TaskflowView& taskflow_;
  const OrderSpec& order_;
  QueueType queue_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::uint32_t>> first_task_;  // by rank and operator, whose tasks stand together
};

}  // namespace

Attributes attributes_of(const TaskflowView& taskflow, const TaskWeights& weights, std::uint32_t rank,
                         std::uint32_t task) {
  Attributes a = attributes_of(taskflow.ranks[rank].tasks[task], RankId{rank}, taskflow.group);
  const TaskWeights::Values weight = weights.of(rank, task);
  a.bytes = weight.bytes;
  a.flops = weight.flops;
  a.depth = weight.depth;
  a.path = weight.path;
  a.rows = weight.rows;
  a.distance = weight.distance;
  a.node = weight.node;
  return a;
}

Plans make_plans(const TaskflowView& taskflow, const OrderSpec& order, const TaskWeights& weights) {
  Plans plans(taskflow.ranks.size());
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    const auto queue = static_cast<QueueType>(q);
    if (!order.list_file[q].empty()) {
      ListPlanner(taskflow, order, queue).plan(plans);
      continue;
    }
    KeyPlanner planner(taskflow, order, queue, weights);
    for (std::uint32_t r = 0; r < plans.size(); ++r) plans[r][q] = planner.plan(r);
  }
  return plans;
}

}  // namespace a3sim
