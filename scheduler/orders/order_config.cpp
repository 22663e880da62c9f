#include "scheduler/orders/order_config.h"

#include <fmt/format.h>

#include <limits>

#include "scheduler/orders/order_csv.h"
#include "scheduler/orders/order_keys.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

constexpr std::size_t kLargestOrder = std::size_t{1} << 30;  // bytes of a list

constexpr std::string_view kQueueKeys[kCoreUnits] = {"ctq", "vtq"};
constexpr std::string_view kListKeys[kCoreUnits] = {"ctq_list", "vtq_list"};
constexpr std::int64_t kMaxWorkers = std::numeric_limits<std::uint32_t>::max();

void read_keys(const Config& config, std::size_t q, OrderSpec& order) {
  order.keys[q] = config.texts(kQueueKeys[q]);
  if (order.keys[q].empty()) config.error(kQueueKeys[q], "at least one sort key expected");
  for (const std::string& key : order.keys[q]) {
    if (key.empty()) continue;  // already reported
    if (const std::string what = key_error(key); !what.empty()) config.error(kQueueKeys[q], what);
  }
}

void read_list(const Config& config, std::size_t q, OrderSpec& order) {
  const std::string name = config.text(kListKeys[q]);
  const std::filesystem::path path =
      std::filesystem::path(config.mark(kListKeys[q]).file).parent_path() / name;
  order.list_file[q] = path.string();
  try {
    order.list[q] = read_order_csv(read_file(path, kLargestOrder), path.string(), static_cast<CoreUnit>(q));
  } catch (const InputError& error) {
    config.error(kListKeys[q], error.what());
  }
}

void read_queue(const Config& config, std::size_t q, OrderSpec& order) {
  const bool keys = config.has(kQueueKeys[q]), list = config.has(kListKeys[q]);
  if (keys) read_keys(config, q, order);
  if (list) read_list(config, q, order);
  if (keys && list)
    config.error(kListKeys[q], fmt::format("{} has keys already: one of the two", kQueueKeys[q]));
  if (!keys && !list)
    config.error(kQueueKeys[q],
                 fmt::format("keys of the {0} expected: {0}, or {1}", kQueueKeys[q], kListKeys[q]));
}

void read_pools(const Config& pools, OrderSpec& order) {
  for (const std::string& name : pools.names()) {
    const Config pool = pools.map(name);
    order.pools.push_back(
        {name, pool.texts("operators"), static_cast<std::uint32_t>(pool.integer("workers", 1, kMaxWorkers))});
    if (order.pools.back().operators.empty()) pool.error("operators", "at least one operator expected");
    pool.finish();
  }
}

void read_limits(const Config& limits, OrderSpec& order) {
  for (const std::string& name : limits.names()) {
    order.limits[name] = static_cast<std::uint32_t>(limits.integer(name, 1, kMaxWorkers));
  }
}

void read_task_workers(const Config& workers, OrderSpec& order) {
  for (const std::string& name : workers.names()) {
    const std::string key = workers.text(name);
    if (key.empty()) continue;  // already reported
    if (const std::string what = key == "listed" ? "" : key_error(key); !what.empty())
      workers.error(name, what);
    order.workers[name] = key;
  }
}

}  // namespace

OrderSpec read_order(const Config& config) {
  OrderSpec order;
  order.name = config.text("name");
  if (config.has("description")) static_cast<void>(config.text("description"));  // for lists of orders
  order.where = config.mark("name").text();  // the mapping itself may be that of a base file
  for (std::size_t q = 0; q < kCoreUnits; ++q) read_queue(config, q, order);
  order.assignment = config.choice("assignment", order.assignment);
  if (config.has("pools")) read_pools(config.map("pools"), order);
  if (config.has("limit")) read_limits(config.map("limit"), order);
  if (config.has("workers")) read_task_workers(config.map("workers"), order);
  config.finish();
  return order;
}

}  // namespace a3sim
