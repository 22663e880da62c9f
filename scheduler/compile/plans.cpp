#include "scheduler/compile/plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "models/operators/engine_put.h"
#include "sim/core/bucket_sort.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<std::string> operator_names(const TaskflowView& taskflow) {
  std::vector<std::string> names;
  for (const OperatorInfo& op : taskflow.operators) names.push_back(op.name);
  return names;
}

// Sorts tasks by their keys, then by number.
class KeySort {
 public:
  // Returns the task numbers in sorted order. Valid until the next call.
  const std::vector<std::uint32_t>& sorted(const KeyFunction::Keys& keys, std::size_t tasks) {
    order_.resize(tasks);
    if (pack(keys, tasks)) {
      sort_.sort(
          std::span(packed_), std::uint64_t{1} << (bits_ - shift_),
          [&](std::uint64_t packed) { return packed >> shift_; }, std::less<>());
      const std::uint64_t number = (std::uint64_t{1} << std::bit_width(tasks)) - 1;
      for (std::size_t i = 0; i < tasks; ++i) order_[i] = static_cast<std::uint32_t>(packed_[i] & number);
      return order_;
    }
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t k = 0; k < keys.of_a_task; ++k) {
        const double x = keys.values[a * keys.of_a_task + k], y = keys.values[b * keys.of_a_task + k];
        if (x != y) return x < y;
      }
      return a < b;
    });
    return order_;
  }

 private:
  // Packs keys that are whole numbers of small ranges, as attributes are, with the task number into one
  // number, so that one comparison decides. Returns false if they do not fit.
  bool pack(const KeyFunction::Keys& keys, std::size_t tasks) {
    packed_.assign(tasks, 0);
    bits_ = 0;
    for (std::size_t k = 0; k < keys.of_a_task; ++k) {
      double least = kMost, most = -kMost;
      for (std::size_t i = k; i < keys.values.size(); i += keys.of_a_task) {
        const double value = keys.values[i];
        if (!(std::abs(value) < kMost) || static_cast<double>(static_cast<std::int64_t>(value)) != value)
          return false;
        least = std::min(least, value);
        most = std::max(most, value);
      }
      if (tasks == 0 || least == most) continue;
      const auto width = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(most - least)));
      if (!add(width)) return false;
      for (std::size_t i = 0; i < tasks; ++i) {
        const double above = keys.values[i * keys.of_a_task + k] - least;
        packed_[i] = packed_[i] << width | static_cast<std::uint64_t>(static_cast<std::int64_t>(above));
      }
    }
    const auto width = static_cast<std::uint32_t>(std::bit_width(tasks));
    if (!add(width)) return false;
    for (std::size_t i = 0; i < tasks; ++i) packed_[i] = packed_[i] << width | i;
    shift_ = bits_ > kMostBucketBits ? bits_ - kMostBucketBits : 0;
    return true;
  }
  bool add(std::uint32_t width) {
    bits_ += width;
    return bits_ < 64;
  }

  static constexpr double kMost = 1LL << 52;  // whole numbers below it and their differences are exact
  static constexpr std::uint32_t kMostBucketBits = 32;  // limit of BucketSort
  std::vector<std::uint64_t> packed_;
  std::uint32_t bits_ = 0, shift_ = 0;
  BucketSort<std::uint64_t> sort_;
  std::vector<std::uint32_t> order_;
};

class KeyPlanner {
 public:
  KeyPlanner(const TaskflowView& taskflow, const OrderSpec& order, CoreUnit unit, const TaskWeights& weights)
      : taskflow_(taskflow),
        order_(order),
        weights_(weights),
        unit_(unit),
        units_(units_of(taskflow.operators)),
        names_(operator_names(taskflow)),
        program_(order, unit, names_) {}

  UnitPlan plan(std::uint32_t r) {
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
    ids_.clear();
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      if (units_[tasks[t].op] == unit_) ids_.push_back(t);
    }
    evaluate(r);
    UnitPlan result;
    result.tasks.reserve(ids_.size());
    for (const std::uint32_t i : sort_.sorted(keys_, ids_.size())) result.tasks.push_back(ids_[i]);
    return result;
  }

 private:
  // Returns the keys of the tasks in ids_.
  void evaluate(std::uint32_t r) {
    if (const KeyFunction* function = order_.functions[static_cast<std::size_t>(unit_)].get()) {
      auto attributes = std::make_shared<std::vector<Attributes>>();
      for (const std::uint32_t t : ids_) attributes->push_back(attributes_of(taskflow_, weights_, r, t));
      keys_ = function->evaluate({attributes, names_, order_.elsewhere});
      check(keys_, *attributes);
      return;
    }
    keys_.of_a_task = program_.size();
    keys_.values.resize(ids_.size() * program_.size());
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      program_.evaluate(attributes_of(taskflow_, weights_, r, ids_[i]),
                        std::span(keys_.values).subspan(i * program_.size(), program_.size()));
    }
  }

  void check(const KeyFunction::Keys& keys, const std::vector<Attributes>& tasks) const {
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("{}: order '{}', {}: the function {}", order_.where, order_.name,
                                   plan_name(unit_), what));
    };
    if (keys.of_a_task == 0 || keys.values.size() != keys.of_a_task * tasks.size()) {
      fail(fmt::format("gives {} numbers, {} of each task: expected one or more of each of {} tasks",
                       keys.values.size(), keys.of_a_task, tasks.size()));
    }
    for (std::size_t i = 0; i < keys.values.size(); ++i) {
      if (std::isfinite(keys.values[i])) continue;
      const Attributes& task = tasks[i / keys.of_a_task];
      fail(fmt::format("has no finite value as key {} of task {} of '{}' on rank {}", i % keys.of_a_task + 1,
                       task.index, names_[static_cast<std::size_t>(task.op)], task.rank));
    }
  }

  const TaskflowView& taskflow_;
  const OrderSpec& order_;
  const TaskWeights& weights_;
  CoreUnit unit_;
  std::vector<CoreUnit> units_;  // one entry per operator
  std::vector<std::string> names_;
  KeyProgram program_;
  // Buffers for the current rank, reused for the next one.
  std::vector<std::uint32_t> ids_;  // tasks of the unit
  KeyFunction::Keys keys_;
  KeySort sort_;
};

class ListPlanner {
 public:
  ListPlanner(const TaskflowView& taskflow, const OrderSpec& order, CoreUnit unit)
      : taskflow_(taskflow),
        order_(order),
        unit_(unit),
        units_(units_of(taskflow.operators)),
        names_(operator_names(taskflow)) {
    for (const TaskflowView::Rank& rank : taskflow.ranks) {
      std::vector<std::uint32_t>& first = first_task_.emplace_back(names_.size(), kNone);
      for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
        if (rank.tasks[t].task_index == 0) first[rank.tasks[t].op] = t;
      }
    }
  }

  void plan(Plans& plans) const {
    const auto u = static_cast<std::size_t>(unit_);
    std::vector<std::vector<bool>> listed;
    for (const TaskflowView::Rank& rank : taskflow_.ranks) listed.emplace_back(rank.tasks.size());
    for (const OrderSpec::Explicit& line : order_.list[u]) {
      const std::uint32_t task = find(line);
      if (task == kNone) continue;
      if (listed[line.rank][task]) refuse(line, fmt::format("{}[{}] stands twice", line.op, line.index));
      listed[line.rank][task] = true;
      plans[line.rank][u].tasks.push_back(task);
    }
    for (std::uint32_t r = 0; r < plans.size(); ++r) {
      plans[r][u].fixed = true;
      require_all(r, listed[r]);
    }
  }

 private:
  [[noreturn]] void refuse(const OrderSpec::Explicit& line, const std::string& what) const {
    throw InputError(
        fmt::format("{}:{}: {}", order_.list_file[static_cast<std::size_t>(unit_)], line.line, what));
  }

  // Returns the task that a line names, or kNone for an operator of another graph of the order.
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
    if (units_[op] != unit_) refuse(line, fmt::format("{} is not of the {}", line.op, plan_name(unit_)));
    return first + line.index;
  }

  void require_all(std::uint32_t rank, const std::vector<bool>& listed) const {
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[rank].tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      if (units_[tasks[t].op] != unit_ || listed[t]) continue;
      throw InputError(fmt::format("{}: {} of rank {} is missing",
                                   order_.list_file[static_cast<std::size_t>(unit_)],
                                   taskflow_.task_name(rank, t), rank));
    }
  }

  const TaskflowView& taskflow_;
  const OrderSpec& order_;
  CoreUnit unit_;
  std::vector<CoreUnit> units_;  // one entry per operator
  std::vector<std::string> names_;
  // One entry per rank, then operator. The tasks of an operator are consecutive.
  std::vector<std::vector<std::uint32_t>> first_task_;
};

// Moves the tasks that a kind has as its own from the plans of units, among which their keys stand, to a plan
// of that kind.
void part_own_tasks(const TaskflowView& taskflow, const WorkerKinds& kinds, Plans& plans) {
  std::vector<std::uint32_t> queues;  // by operator
  for (const OperatorInfo& op : taskflow.operators) queues.push_back(own_queue(kinds, op.type));
  std::uint32_t own = kCoreUnits;
  for (std::uint32_t q = 0; q < kinds.size(); ++q) {
    if (std::ranges::count(queues, q) == 0) continue;
    if (own == kPlans)
      throw InputError(
          fmt::format("more than {} kinds of worker have operators of their own", kMostOwnKinds));
    for (std::uint32_t r = 0; r < plans.size(); ++r) {
      const auto elsewhere = [&](std::uint32_t task) {
        return queues[taskflow.ranks[r].tasks[task].op] != q;
      };
      UnitPlan& parted = plans[r][own];
      parted.queue = q;
      for (std::uint32_t u = 0; u < kCoreUnits; ++u) {
        UnitPlan& plan = plans[r][u];
        const auto rest = std::stable_partition(plan.tasks.begin(), plan.tasks.end(), elsewhere);
        parted.tasks.insert(parted.tasks.end(), rest, plan.tasks.end());
        parted.fixed = parted.fixed || (plan.fixed && rest != plan.tasks.end());
        plan.tasks.erase(rest, plan.tasks.end());
      }
    }
    ++own;
  }
}

}  // namespace

Plans make_plans(const TaskflowView& taskflow, const OrderSpec& order, const TaskWeights& weights,
                 const WorkerKinds& kinds) {
  Plans plans(taskflow.ranks.size());
  for (std::uint32_t u = 0; u < kCoreUnits; ++u) {
    const auto unit = static_cast<CoreUnit>(u);
    if (!order.list_file[u].empty()) {
      ListPlanner(taskflow, order, unit).plan(plans);
      continue;
    }
    KeyPlanner planner(taskflow, order, unit, weights);
    for (std::uint32_t r = 0; r < plans.size(); ++r) plans[r][u] = planner.plan(r);
  }
  part_own_tasks(taskflow, kinds, plans);
  return plans;
}

}  // namespace a3sim
