#include "sim/experiment/config/order_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "models/operators/operator.h"
#include "scheduler/orders/order_config.h"
#include "scheduler/orders/order_keys.h"
#include "scheduler/orders/order_pools.h"
#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/experiment/config/job_blocks.h"

namespace a3sim {
namespace {

std::vector<OperatorQueue> queues_of(const Graph& graph) {
  std::vector<OperatorQueue> operators;
  for (const OperatorNode& node : graph.operators())
    operators.push_back({node.name, Operators::get(node.type).unit(), node.type});
  return operators;
}

// For one pass: the operators that all entries together select, and those that one entry selects.
struct Meant {
  std::vector<OperatorQueue> operators;
  std::set<std::size_t> by_all, by_one;
  std::set<std::string> types() const {
    std::set<std::string> types;
    for (const std::size_t op : by_one) types.insert(operators[op].type);
    return types;
  }
};

// Adds what is to be said of the entries of one user. `all` are those of all users of its kind: operators that another one
// names are not left out.
void add_unused(const Experiment& experiment, const std::string& user,
                const std::vector<std::string>& entries, const std::vector<std::string>& all,
                std::vector<std::string>& sentences) {
  const auto say = [&](const std::string& what) {
    sentences.push_back(
        fmt::format("{}: order '{}': {}: {}", experiment.order.where, experiment.order.name, user, what));
  };
  for (const std::string& entry : entries) {
    std::vector<Meant> passes;
    std::set<std::string> types;
    for (const Pass& pass : experiment.passes) {
      Meant& meant = passes.emplace_back(Meant{queues_of(pass.graph), {}, {}});
      for (const std::string& each : all) {
        const auto named = operators_of(each, experiment.order, meant.operators);
        meant.by_all.insert(named.begin(), named.end());
        if (each == entry) meant.by_one.insert(named.begin(), named.end());
      }
      types.merge(meant.types());
    }
    if (types.empty()) say(fmt::format("'{}' means no operator of any pass", entry));
    for (std::size_t p = 0; p < passes.size(); ++p) {
      if (!passes[p].by_one.empty()) continue;
      std::vector<std::string> alike;
      for (std::size_t op = 0; op < passes[p].operators.size(); ++op) {
        const OperatorQueue& queue = passes[p].operators[op];
        if (types.contains(queue.type) && !passes[p].by_all.contains(op)) alike.push_back(queue.name);
      }
      if (alike.empty()) continue;
      say(
          fmt::format("'{}' means no operator of pass {}, where {} is left out: a pattern (like '{}*') means "
                      "several",
                      entry, experiment.passes[p].name, fmt::join(alike, ", "), entry));
    }
  }
}

bool workers_known(const OrderSpec& order, const std::vector<OperatorQueue>& operators) {
  return std::ranges::all_of(order.workers, [&](const auto& worker) {
    return !operators_of(worker.first, order, operators).empty() ||
           Operators::find(worker.first) != nullptr ||
           std::ranges::find(order.elsewhere, worker.first) != order.elsewhere.end();
  });
}

bool keys_known(const OrderSpec& order, const std::vector<OperatorQueue>& operators) {
  std::vector<std::string> names;
  for (const OperatorQueue& op : operators) names.push_back(op.name);
  try {
    for (const CoreUnit unit : {CoreUnit::kMatrix, CoreUnit::kVector}) KeyProgram(order, unit, names);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

}  // namespace

OrderSpec read_order_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  if (!root.has("order") && diagnostics.empty()) {
    diagnostics.error(root.mark(), "order",
                      "missing: an order stands below this key, as in configs/orders/full.yaml");
    diagnostics.throw_if_any();
  }
  OrderSpec order = read_order(root.map("order"));
  if (!root.has("experiment")) root.finish();
  diagnostics.throw_if_any();
  return order;
}

std::string description_of_order(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  const Config order = root.map("order");
  return order.has("description") ? order.text("description") : std::string();
}

bool is_experiment(const std::filesystem::path& order_file) {
  Diagnostics diagnostics;
  const bool has = Config::load(order_file, {}, diagnostics).has("experiment");
  diagnostics.throw_if_any();
  return has;
}

Experiment load_with_order(const std::filesystem::path& config, const std::filesystem::path& order,
                           std::span<const std::string> overrides) {
  read_order_file(order);  // reports what is wrong with the order alone
  Diagnostics diagnostics;
  const auto of_order = [](std::string_view path) { return path.starts_with("order."); };
  const Config root = Config::load_with_parts(config, order, of_order, diagnostics, overrides);
  refuse_job_blocks(root);
  return read_experiment(root, diagnostics);
}

std::vector<std::string> unused_entries(const Experiment& experiment) {
  std::vector<std::string> sentences;
  std::vector<std::string> pooled, limited;
  for (const OrderSpec::Pool& pool : experiment.order.pools)
    pooled.insert(pooled.end(), pool.operators.begin(), pool.operators.end());
  for (const auto& [entry, limit] : experiment.order.limits) limited.push_back(entry);
  for (const OrderSpec::Pool& pool : experiment.order.pools)
    add_unused(experiment, fmt::format("pool '{}'", pool.name), pool.operators, pooled, sentences);
  for (const std::string& entry : limited) add_unused(experiment, "limit", {entry}, limited, sentences);
  return sentences;
}

bool names_known_operators(const Experiment& experiment, OrderSpec order) {
  order.elsewhere = experiment.order.elsewhere;
  return std::ranges::all_of(experiment.passes, [&](const Pass& pass) {
    return workers_known(order, queues_of(pass.graph)) && keys_known(order, queues_of(pass.graph));
  });
}

Experiment with_order(Experiment experiment, OrderSpec order) {
  experiment.amend([order = std::move(order)](Experiment& changed) {
    std::vector<std::string> elsewhere = std::move(changed.order.elsewhere);
    changed.order = order;
    changed.order.elsewhere = std::move(elsewhere);
  });
  return experiment;
}

}  // namespace a3sim
