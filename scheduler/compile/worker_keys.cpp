#include "scheduler/compile/worker_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "models/operators/engine_put.h"
#include "models/operators/operator.h"
#include "scheduler/orders/order_keys.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

class WorkerChoice {
 public:
  WorkerChoice(const TaskflowView& taskflow, const CompileOptions& options, const TaskWeights& weights,
               WorkerPlan& plan)
      : taskflow_(taskflow), options_(options), weights_(weights), plan_(plan) {
    for (const OperatorInfo& op : taskflow.operators) {
      names_.push_back(op.name);
      operators_.push_back({op.name, Operators::get(op.type).unit(), op.type});
    }
    keys_.resize(operators_.size());
    for (const auto& [entry, key] : options.order.workers) add(entry, key);
    for (const auto& [entry, key] : options.order.workers)  // an operator's own entry is the one that counts
      if (std::ranges::find(names_, entry) != names_.end()) add(entry, key);
  }

  TaskWorkers run() {
    TaskWorkers chosen;
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
      std::vector<std::uint8_t>& of_rank = chosen.emplace_back();
      of_rank.reserve(tasks.size());
      for (std::uint32_t t = 0; t < tasks.size(); ++t) {
        const std::uint16_t op = tasks[t].op;
        of_rank.push_back(keys_[op] ? set_of(*keys_[op], op, r, t) : plan_.set_of[op]);
      }
    }
    return chosen;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(fmt::format("{}: order '{}': workers: {}", options_.order.where, options_.order.name,
                                 fmt::format(format, std::forward<Args>(args)...)));
  }

  void add(const std::string& entry, const std::string& key) {
    const std::vector<std::size_t> found = operators_of(entry, options_.order, operators_);
    if (found.empty() && !std::ranges::count(options_.order.elsewhere, entry) && !Operators::find(entry))
      fail("unknown operator '{}'{}", entry, suggestion(entry, names_));
    if (key == kListed) return;
    for (const std::size_t op : found) {
      OrderSpec alone;
      alone.name = options_.order.name;
      alone.where = options_.order.where;
      alone.elsewhere = options_.order.elsewhere;
      alone.keys[static_cast<std::size_t>(operators_[op].unit)] = {key};
      keys_[op].emplace(alone, operators_[op].unit, names_);
    }
  }

  std::uint8_t set_of(KeyProgram& key, std::uint16_t op, std::uint32_t rank, std::uint32_t task) {
    double value = 0;
    key.evaluate(attributes_of(taskflow_, weights_, rank, task), {&value, 1});
    if (value < 0) fail("of {}: worker {} of its task {}, expected 0 or more", names_[op], value, task);
    const std::uint32_t queue = queue_of_type(options_.workers, operators_[op].unit, operators_[op].type);
    const auto worker =
        static_cast<std::uint32_t>(std::fmod(std::floor(value), options_.workers[queue].count));
    return position({queue, worker, 1});
  }

  std::uint8_t position(const WorkerSet& set) {
    constexpr std::size_t kMostSets = std::size_t{std::numeric_limits<std::uint8_t>::max()} + 1;
    const auto found = std::ranges::find(plan_.sets, set);
    const auto at = found - plan_.sets.begin();
    if (found == plan_.sets.end()) {
      if (plan_.sets.size() == kMostSets) fail("they make more than {} sets of workers", kMostSets);
      plan_.sets.push_back(set);
    }
    return static_cast<std::uint8_t>(at);
  }

  const TaskflowView& taskflow_;
  const CompileOptions& options_;
  const TaskWeights& weights_;
  WorkerPlan& plan_;
  std::vector<std::string> names_;
  std::vector<OperatorQueue> operators_;
  std::vector<std::optional<KeyProgram>> keys_;  // one entry per operator
};

}  // namespace

TaskWorkers choose_workers(const TaskflowView& taskflow, const CompileOptions& options,
                           const TaskWeights& weights, WorkerPlan& plan) {
  if (options.order.workers.empty()) return {};
  return WorkerChoice(taskflow, options, weights, plan).run();
}

}  // namespace a3sim
