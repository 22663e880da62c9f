#include "scheduler/order_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kMaxSets = std::size_t{std::numeric_limits<std::uint8_t>::max()} + 1;

class Plan {
 public:
  Plan(const OrderSpec& order, std::span<const OperatorQueue> operators,
       const std::uint32_t (&workers)[kQueues])
      : order_(order), operators_(operators), workers_(workers), pool_of_(operators.size()) {}

  WorkerPlan make() {
    for (const OrderSpec::Pool& pool : order_.pools) take(pool);
    for (const auto& [name, limit] : order_.limits) check_limit(name, limit);
    WorkerPlan plan;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      plan.set_of.push_back(position(plan.sets, limited(operators_[op].name, set_of(op))));
    }
    return plan;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(fmt::format("{}: order '{}': {}", order_.where, order_.name,
                                 fmt::format(format, std::forward<Args>(args)...)));
  }

  // The operator of that name; none if it is one of another graph.
  std::optional<std::size_t> find(const std::string& name, const std::string& user) const {
    const auto it = std::ranges::find(operators_, name, &OperatorQueue::name);
    if (it != operators_.end()) return static_cast<std::size_t>(it - operators_.begin());
    if (std::ranges::find(order_.elsewhere, name) != order_.elsewhere.end()) return std::nullopt;
    std::vector<std::string> known = order_.elsewhere;
    for (const OperatorQueue& op : operators_) known.push_back(op.name);
    fail("{}: unknown operator '{}'{}", user, name, suggestion(name, known));
  }

  void take(const OrderSpec::Pool& pool) {
    const std::string user = fmt::format("pool '{}'", pool.name);
    if (pool.workers == 0) fail("{} has no workers", user);
    std::optional<QueueType> queue;
    for (const std::string& name : pool.operators) {
      if (!pooled_.insert(name).second) fail("{}: operator '{}' stands in a pool already", user, name);
      const auto op = find(name, user);
      if (!op) continue;
      if (queue && *queue != operators_[*op].queue) {
        fail("{}: '{}' is of the {}, the operators before it of the {}", user, name,
             name_of(operators_[*op].queue), name_of(*queue));
      }
      queue = operators_[*op].queue;
      pool_of_[*op] = WorkerSet{static_cast<std::uint32_t>(*queue), taken(*queue), pool.workers};
    }
    if (!queue) return;
    const std::uint32_t left = workers_[static_cast<std::size_t>(*queue)] - taken(*queue);
    if (pool.workers > left) {
      fail("{} takes {} workers of the {}, {} of {} are left", user, pool.workers, name_of(*queue), left,
           workers_[static_cast<std::size_t>(*queue)]);
    }
    taken(*queue) += pool.workers;
  }

  void check_limit(const std::string& name, std::uint32_t limit) const {
    find(name, "limit");
    if (limit == 0) fail("limit: operator '{}' could never run", name);
  }

  WorkerSet set_of(std::size_t op) {
    if (pool_of_[op]) return *pool_of_[op];
    const QueueType queue = operators_[op].queue;
    const std::uint32_t all = workers_[static_cast<std::size_t>(queue)];
    if (taken(queue) == all) {
      fail("no worker of the {} is left for operator '{}': pools take {} of {}", name_of(queue),
           operators_[op].name, taken(queue), all);
    }
    return {static_cast<std::uint32_t>(queue), taken(queue), all - taken(queue)};
  }

  WorkerSet limited(const std::string& name, WorkerSet set) const {
    const auto limit = order_.limits.find(name);
    if (limit != order_.limits.end()) set.count = std::min(set.count, limit->second);
    return set;
  }

  std::uint8_t position(std::vector<WorkerSet>& sets, const WorkerSet& set) const {
    const auto it = std::ranges::find(sets, set);
    if (it != sets.end()) return static_cast<std::uint8_t>(it - sets.begin());
    if (sets.size() == kMaxSets) fail("pools and limits make more than {} sets of workers", kMaxSets);
    sets.push_back(set);
    return static_cast<std::uint8_t>(sets.size() - 1);
  }

  std::uint32_t& taken(QueueType queue) { return taken_[static_cast<std::size_t>(queue)]; }

  const OrderSpec& order_;
  std::span<const OperatorQueue> operators_;
  const std::uint32_t (&workers_)[kQueues];
  std::uint32_t taken_[kQueues] = {};
  std::vector<std::optional<WorkerSet>> pool_of_;  // by OpId
  std::set<std::string> pooled_;
};

}  // namespace

WorkerPlan assign_worker_sets(const OrderSpec& order, std::span<const OperatorQueue> operators,
                              const std::uint32_t (&workers)[kQueues]) {
  return Plan(order, operators, workers).make();
}

}  // namespace a3sim
