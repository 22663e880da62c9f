#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/core/config/decimal.h"
#include "sim/core/statistics.h"
#include "sim/experiment/compiled.h"
#include "sim/study/explore/replay.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

// Returns the most rows of a rank, as a multiple of the mean.
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

struct DrawnRoutings {
  std::vector<NamedRouting> routings;
  double straggler = 0;      // median
  std::uint32_t bucket = 0;  // rows per (source, expert), enough for all of them
};

// Draws the experiment's routing with the seeds 1 to `draws`.
DrawnRoutings draw(const Experiment& experiment, std::uint32_t draws) {
  DrawnRoutings drawn;
  std::vector<double> stragglers;
  for (std::uint32_t seed = 1; seed <= draws; ++seed) {
    RoutingSpec spec = experiment.routing;
    spec.seed = seed;
    drawn.routings.push_back({fmt::format("seed {}", seed), route(spec, experiment.shape)});
    stragglers.push_back(straggler(drawn.routings.back().counts));
    drawn.bucket = std::max(drawn.bucket, most_rows(drawn.routings.back().counts));
  }
  drawn.straggler = median(stragglers);
  return drawn;
}

// Returns coordinates in the table's columns, with `schedule` filled in. Decimals become numbers.
Json coordinates_of(const PublishedTable& table, const PublishedCase& one, const std::string& pass,
                    const char* schedule) {
  Json coordinates = Json::object();
  for (const std::string& column : table.columns) {
    if (column == "pass") coordinates[column] = pass;
    if (column == "schedule") coordinates[column] = schedule;
    if (!one.coordinates.contains(column)) continue;
    double number = 0;
    const std::string text = text_of(one.coordinates[column]);
    coordinates[column] = decimal_double(text, number) ? Json(number) : one.coordinates[column];
  }
  return coordinates;
}

// Adds medians over the draws, for schedules compiled for each routing or for all of them.
void add_point(const std::vector<Replayed>& runs, bool recompiled, const DrawnRoutings& drawn, Point point,
               std::vector<Point>& points) {
  std::vector<double> latencies, lags;
  Duration bound{};
  for (const Replayed& run : runs) {
    latencies.push_back(milliseconds(recompiled ? run.recompiled : run.replayed));
    lags.push_back(milliseconds(recompiled ? run.recompiled_lag : run.replayed_lag));
    bound = std::max(bound, run.bounds.largest());
  }
  point.value = median(latencies);
  point.more = {{Column::number("least", "", 3), std::ranges::min(latencies)},
                {Column::number("most", "", 3), std::ranges::max(latencies)},
                {Column::number("straggler ms", "", 3), median(lags)},
                {Column::words("straggler's rows"), fmt::format("{:.2f} x mean", drawn.straggler)},
                {Column::count("bucket rows"), whole(drawn.bucket)},
                {Column::milliseconds("worst bound", "worst_bound_ps"), bound}};
  points.push_back(std::move(point));
}

void add_case(const PublishedTable& table, const PublishedCase& one, const Scenario& scenario,
              const Wanted& wanted, std::vector<Point>& points) {
  Experiment experiment = scenario.load(table.experiment, one.overrides);
  const std::string& pass = experiment.passes.front().name;
  const Json recompiled = coordinates_of(table, one, pass, "recompiled"),
             replayed = coordinates_of(table, one, pass, "replayed");
  if (!wanted.has(recompiled) && !wanted.has(replayed)) return;
  const DrawnRoutings drawn = draw(experiment, std::any_cast<std::uint32_t>(table.block));
  experiment.bucket_rows = drawn.bucket;
  const RoutingCounts capacity = capacity_of(experiment, drawn.routings.front().counts);
  std::vector<CompiledPass> compiled;
  for (const Pass& each : experiment.passes)
    compiled.push_back({each.name, compile_pass(experiment, each, capacity).schedule});
  const std::vector<Replayed> runs = replay(experiment, compiled, drawn.routings, scenario.threads);
  add_point(runs, true, drawn, {recompiled, "latency", "ms", 0, experiment.hardware.name}, points);
  add_point(runs, false, drawn, {replayed, "latency", "ms", 0, experiment.hardware.name}, points);
}

// Predicts the cost of an uneven load, and the further cost of one schedule for several routings.
Predictions run_replayed(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  for (const PublishedCase& one : table.cases) {
    std::vector<Point> points;
    add_case(table, one, scenario, wanted, points);
    if (wanted.seen && !points.empty()) wanted.seen(points);
    std::ranges::move(points, std::back_inserter(result.points));
  }
  return result;
}

void read_replayed(const TableFile& file, PublishedTable& table) {
  table.block = static_cast<std::uint32_t>(file.root.integer("draws", 1, 1000));
  read_cases(file, table);
}

A3SIM_REGISTER(Evaluation, "replayed", "medians over routings, by schedules recompiled and replayed",
               Evaluation{run_replayed, read_replayed});

}  // namespace
}  // namespace a3sim
