#include "sim/search/search_store.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "sim/sweep/open_results.h"

namespace a3sim {
namespace {

constexpr double kStoredMillisecond = 1e9;
constexpr const char* kOrdersFile = "other_orders.csv";

std::string metric_of(const JitterOptions& jitter, std::size_t draw) {
  if (jitter.runs == 0) return "latency";
  return fmt::format("latency.drawn.{}.{}", jitter.seed, draw);
}

std::string order_key(const std::string& name, const JitterOptions& jitter) {
  return fmt::format("{} {} {}", name, jitter.runs == 0 ? 0 : jitter.seed, jitter.runs);
}

// NAME SEED RUNS,LONGER_THAN,PASS,PASS,... in picoseconds, the draws of a pass with spaces between.
std::string csv_of(const std::map<std::string, StoredOrder>& orders) {
  std::string text;
  for (const auto& [key, stored] : orders) {
    text += fmt::format("{},{}", key, stored.longer_than.count());
    for (const Latencies& pass : stored.passes) {
      text += ',';
      for (const Duration latency : pass) text += fmt::format("{} ", latency.count());
    }
    text += '\n';
  }
  return text;
}

std::map<std::string, StoredOrder> orders_in(const std::string& csv) {
  std::map<std::string, StoredOrder> orders;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string key, cell;
    if (!std::getline(cells, key, ',') || !std::getline(cells, cell, ',')) continue;
    StoredOrder& stored = orders[key];
    stored.longer_than = Duration(std::stoll(cell));
    while (std::getline(cells, cell, ',')) {
      Latencies& pass = stored.passes.emplace_back();
      std::istringstream draws(cell);
      for (std::int64_t latency = 0; draws >> latency;) pass.emplace_back(latency);
    }
  }
  return orders;
}

}  // namespace

SearchStore::SearchStore(const std::filesystem::path& file) : database_(file) {
  with_results(file, [&](SQLite::Database& database) {
    read_latencies(database);
    read_orders(database);
  });
}

void SearchStore::read_latencies(SQLite::Database& database) {
  known_.clear();
  SQLite::Statement metrics(
      database,
      "SELECT point, pass, name, value FROM metric JOIN point ON point.id = metric.point "
      "WHERE status = 'done' AND name LIKE 'latency%'");
  while (metrics.executeStep()) {
    const Key key{metrics.getColumn(1).getString(), metrics.getColumn(2).getString()};
    known_[metrics.getColumn(0).getString()][key] =
        Duration(std::llround(metrics.getColumn(3).getDouble() * kStoredMillisecond));
  }
}

void SearchStore::read_orders(SQLite::Database& database) {
  orders_.clear();
  SQLite::Statement files(database, "SELECT point, contents FROM file WHERE name = ?");
  files.bind(1, kOrdersFile);
  while (files.executeStep())
    orders_[files.getColumn(0).getString()] = orders_in(files.getColumn(1).getString());
}

std::optional<std::vector<Latencies>> SearchStore::find(const std::string& point,
                                                        const Experiment& experiment,
                                                        const JitterOptions& jitter) const {
  const auto found = known_.find(point);
  if (found == known_.end()) return std::nullopt;
  std::vector<Latencies> passes;
  for (const Pass& pass : experiment.passes) {
    Latencies& latencies = passes.emplace_back();
    for (std::uint32_t draw = 0; draw < jitter.draws(); ++draw) {
      const auto latency = found->second.find({pass.name, metric_of(jitter, draw)});
      if (latency == found->second.end()) return std::nullopt;
      latencies.push_back(latency->second);
    }
  }
  return passes;
}

void SearchStore::record(const std::string& point, const Experiment& experiment, const JitterOptions& jitter,
                         const std::vector<Latencies>& passes) {
  SweepRecord record;
  record.id = point;
  record.config = portable(experiment);
  for (std::size_t draw = 0; draw < jitter.draws(); ++draw) {
    Duration total{};
    const std::string metric = metric_of(jitter, draw);
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const Duration latency = passes[p][draw];
      total += latency;
      record.metrics.push_back({experiment.passes[p].name, metric,
                                static_cast<double>(latency.count()) / kStoredMillisecond, "ms"});
      known_[point][{experiment.passes[p].name, metric}] = latency;
    }
    record.metrics.push_back(
        {"total", metric, static_cast<double>(total.count()) / kStoredMillisecond, "ms"});
  }
  database_.record(record);
}

std::optional<StoredOrder> SearchStore::find_order(const std::string& point, const std::string& name,
                                                   const JitterOptions& jitter) const {
  const auto orders = orders_.find(point);
  if (orders == orders_.end()) return std::nullopt;
  const auto found = orders->second.find(order_key(name, jitter));
  if (found == orders->second.end()) return std::nullopt;
  return found->second;
}

void SearchStore::record_order(const std::string& point, const Experiment& experiment,
                               const std::string& name, const JitterOptions& jitter,
                               const StoredOrder& stored) {
  std::map<std::string, StoredOrder>& orders = orders_[point];
  orders[order_key(name, jitter)] = stored;
  SweepRecord record;
  record.id = point;
  record.config = portable(experiment);
  record.config.files.emplace_back(kOrdersFile, csv_of(orders));
  database_.record(record);
}

}  // namespace a3sim
