#include <fmt/format.h>

#include <algorithm>

#include "sim/core/statistics.h"
#include "sim/experiment/compiled.h"
#include "sim/study/explore/replay.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

constexpr double kSkews[] = {0, 0.1, 0.2, 0.4, 0.8};
constexpr std::uint32_t kSeeds = 9;

// The rows of the rank that gets most, as a multiple of the mean.
double straggler(const RoutingCounts& counts) {
  const std::uint32_t local = counts.experts() / counts.ranks();
  std::vector<double> rows(counts.ranks(), 0);
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) rows[e / local] += counts.at(src, e);
  }
  double sum = 0;
  for (const double r : rows) sum += r;
  return *std::ranges::max_element(rows) * counts.ranks() / sum;
}

std::uint32_t most_rows(const RoutingCounts& counts) {
  std::uint32_t most = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src)
    most = std::max(most, std::ranges::max(counts.source(src)));
  return most;
}

struct Drawn {
  std::vector<NamedRouting> routings;
  double straggler = 0;      // median
  std::uint32_t bucket = 0;  // rows of each (source, expert) that all of them fit into
};

Drawn draw(const Experiment& experiment, double skew) {
  Drawn drawn;
  std::vector<double> stragglers;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const RoutingSpec spec{"sampled", seed, skew, {}};
    drawn.routings.push_back({fmt::format("seed {}", seed), route(spec, experiment.shape)});
    stragglers.push_back(straggler(drawn.routings.back().counts));
    drawn.bucket = std::max(drawn.bucket, most_rows(drawn.routings.back().counts));
  }
  drawn.straggler = quantile(stragglers, 0.5);
  return drawn;
}

void add_skew(const Scenario& scenario, const Wanted& wanted, double skew, std::vector<Point>& points) {
  const auto case_of = [&](const char* schedule) {
    return nlohmann::ordered_json{{"skew", skew}, {"pass", "forward"}, {"schedule", schedule}};
  };
  if (!wanted.has(case_of("recompiled")) && !wanted.has(case_of("replayed"))) return;
  Experiment experiment = scenario.load("ep8", {"experiment.pass=forward"});
  const Drawn drawn = draw(experiment, skew);
  experiment.bucket_rows = drawn.bucket;
  const RoutingCounts capacity = capacity_of(experiment, drawn.routings.front().counts);
  std::vector<CompiledPass> compiled;
  for (const Pass& pass : experiment.passes)
    compiled.push_back({pass.name, compile_pass(experiment, pass, capacity).schedule});
  const std::vector<Replayed> runs = replay(experiment, compiled, drawn.routings, scenario.threads);
  for (const bool recompiled : {true, false}) {
    std::vector<double> latencies, lags;
    for (const Replayed& run : runs) {
      latencies.push_back(milliseconds(recompiled ? run.recompiled : run.replayed));
      lags.push_back(milliseconds(recompiled ? run.recompiled_lag : run.replayed_lag));
    }
    Duration bound{};
    for (const Replayed& run : runs) bound = std::max(bound, run.bounds.largest());
    Point& point = points.emplace_back(Point{case_of(recompiled ? "recompiled" : "replayed"), "latency", "ms",
                                             quantile(latencies, 0.5), experiment.hardware.name});
    point.more = {{Column::number("least", "", 3), std::ranges::min(latencies)},
                  {Column::number("most", "", 3), std::ranges::max(latencies)},
                  {Column::number("straggler ms", "", 3), quantile(lags, 0.5)},
                  {Column::words("straggler's rows"), fmt::format("{:.2f} x mean", drawn.straggler)},
                  {Column::count("bucket rows"), whole(drawn.bucket)},
                  {Column::milliseconds("worst bound", "worst_bound_ps"), bound}};
  }
}

// EP8 under sampled routings: what an uneven load costs, and what one schedule for all of them costs more.
Predictions run_skew(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  for (const double skew : kSkews) add_skew(scenario, wanted, skew, result.points);
  return result;
}

A3SIM_REGISTER(Evaluation, "skew", "medians over routings, recompiled and replayed", Evaluation{run_skew});

}  // namespace
}  // namespace a3sim
