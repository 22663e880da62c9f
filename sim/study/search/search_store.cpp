#include "sim/study/search/search_store.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/study/sweep/open_results.h"

namespace a3sim {
namespace {

constexpr double kStoredMillisecond = 1e9;

std::string metric_of(const JitterOptions& jitter, std::size_t draw) {
  if (jitter.runs == 0) return "latency";
  return fmt::format("latency.drawn.{}.{}", jitter.seed, draw);
}

}  // namespace

SearchStore::SearchStore(const std::filesystem::path& file) : database_(file) {
  with_results(file, [&](SQLite::Database& database) {
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
  });
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

}  // namespace a3sim
