#include "scheduler/orders/order_pools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "models/operators/engine_put.h"
#include "models/operators/operator.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kMaxSets = std::size_t{std::numeric_limits<std::uint8_t>::max()} + 1;

class Plan {
 public:
  Plan(const OrderSpec& order, std::span<const OperatorQueue> operators, const WorkerKinds& kinds)
      : order_(order),
        operators_(operators),
        kinds_(kinds),
        taken_(kinds.size()),
        pool_of_(operators.size()),
        limit_of_(operators.size(), kNone) {}

  WorkerPlan make() {
    for (const OrderSpec::Pool& pool : order_.pools) take(pool);
    for (const auto& [entry, limit] : order_.limits) set_limit(entry, limit);
    WorkerPlan plan;
    for (std::size_t op = 0; op < operators_.size(); ++op) {
      plan.set_of.push_back(position(plan.sets, limited_set_of(op)));
    }
    return plan;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(fmt::format("{}: order '{}': {}", order_.where, order_.name,
                                 fmt::format(format, std::forward<Args>(args)...)));
  }

  // Empty if the entry selects operators of other graphs only.
  std::vector<std::size_t> find(const std::string& entry, const std::string& user) const {
    std::vector<std::size_t> found = operators_of(entry, order_, operators_);
    if (!found.empty() || is_elsewhere(entry)) return found;
    std::vector<std::string> known = order_.elsewhere;
    for (const OperatorQueue& op : operators_) known.push_back(op.name);
    if (is_pattern(entry))
      fail("{}: no operator's name fits '{}'; known: {}", user, entry, fmt::join(known, ", "));
    fail("{}: unknown operator '{}'{}", user, entry, suggestion(entry, known));
  }

  bool is_elsewhere(const std::string& entry) const {
    const auto fits_entry = [&](const std::string& name) { return fits(name, entry); };
    return std::ranges::any_of(order_.elsewhere, fits_entry) || Operators::find(entry) != nullptr;
  }

  void take(const OrderSpec::Pool& pool) {
    const std::string user = fmt::format("pool '{}'", pool.name);
    if (pool.workers == 0) fail("{} has no workers", user);
    std::optional<std::uint32_t> queue;
    std::set<std::size_t> own;
    for (const std::string& entry : pool.operators) {
      for (const std::size_t op : find(entry, user)) {
        const OperatorQueue& candidate = operators_[op];
        if (!own.insert(op).second) continue;
        if (pool_of_[op]) fail("{}: operator '{}' stands in a pool already", user, candidate.name);
        const std::uint32_t own_queue = queue_of_type(kinds_, candidate.unit, candidate.type);
        if (queue && *queue != own_queue) {
          fail("{}: '{}' is of the {}, the operators before it of the {}", user, candidate.name,
               kinds_[own_queue].queue(), kinds_[*queue].queue());
        }
        queue = own_queue;
        pool_of_[op] = WorkerSet{*queue, taken_[*queue], pool.workers};
      }
    }
    if (!queue) return;
    const std::uint32_t left = kinds_[*queue].count - taken_[*queue];
    if (pool.workers > left) {
      fail("{} takes {} workers of the {}, {} of {} are left", user, pool.workers, kinds_[*queue].queue(),
           left, kinds_[*queue].count);
    }
    taken_[*queue] += pool.workers;
  }

  void set_limit(const std::string& entry, std::uint32_t limit) {
    const std::vector<std::size_t> found = find(entry, "limit");
    if (limit == 0) fail("limit: operator '{}' could never run", entry);
    for (const std::size_t op : found) limit_of_[op] = std::min(limit_of_[op], limit);
  }

  WorkerSet set_of(std::size_t op) {
    if (pool_of_[op]) return *pool_of_[op];
    const std::uint32_t queue = queue_of_type(kinds_, operators_[op].unit, operators_[op].type);
    const std::uint32_t all = kinds_[queue].count, taken = taken_[queue];
    if (taken == all) {
      fail("no worker of the {} is left for operator '{}': pools take {} of {}", kinds_[queue].queue(),
           operators_[op].name, taken, all);
    }
    return {queue, taken, all - taken};
  }

  WorkerSet limited_set_of(std::size_t op) {
    WorkerSet set = set_of(op);
    set.count = std::min(set.count, limit_of_[op]);
    return set;
  }

  std::uint8_t position(std::vector<WorkerSet>& sets, const WorkerSet& set) const {
    const auto it = std::ranges::find(sets, set);
    if (it != sets.end()) return static_cast<std::uint8_t>(it - sets.begin());
    if (sets.size() == kMaxSets) fail("pools and limits make more than {} sets of workers", kMaxSets);
    sets.push_back(set);
    return static_cast<std::uint8_t>(sets.size() - 1);
  }

  const OrderSpec& order_;
  std::span<const OperatorQueue> operators_;
  const WorkerKinds& kinds_;
  std::vector<std::uint32_t> taken_;               // one entry per queue
  std::vector<std::optional<WorkerSet>> pool_of_;  // one entry per OpId
  std::vector<std::uint32_t> limit_of_;            // by OpId; kNone: none
};

}  // namespace

bool is_pattern(std::string_view entry) { return entry.find_first_of("*?") != std::string_view::npos; }

bool fits(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*')
    return fits(name, pattern.substr(1)) || (!name.empty() && fits(name.substr(1), pattern));
  if (name.empty() || (pattern.front() != '?' && pattern.front() != name.front())) return false;
  return fits(name.substr(1), pattern.substr(1));
}

std::vector<std::size_t> operators_of(const std::string& entry, const OrderSpec& order,
                                      std::span<const OperatorQueue> operators) {
  std::vector<std::size_t> by_name, by_type;
  for (std::size_t op = 0; op < operators.size(); ++op) {
    if (fits(operators[op].name, entry)) by_name.push_back(op);
    if (operators[op].type == entry) by_type.push_back(op);
  }
  const bool named = !by_name.empty() || std::ranges::find(order.elsewhere, entry) != order.elsewhere.end();
  return named ? by_name : by_type;
}

WorkerPlan assign_worker_sets(const OrderSpec& order, std::span<const OperatorQueue> operators,
                              const WorkerKinds& kinds) {
  return Plan(order, operators, kinds).make();
}

}  // namespace a3sim
