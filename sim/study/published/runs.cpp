#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/published/evaluation.h"
#include "sim/study/published/metric.h"
#include "sim/study/summary/run_trace.h"
#include "traces/analysis/overlap.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTotal = "total";

// What is read from a pass of a run, or from all of them.
struct Figures {
  std::string pass;
  Duration latency{};
  Bounds bounds;
  Duration bound{};               // the largest; of several passes, the sum of theirs
  double moved = 0, sent = 0;     // bytes of the first rank: by its tasks' accesses, to other ranks
  double hits = 0, requests = 0;  // of its reads in the L2
  double operations = 0;          // of all ranks
  Duration exposed{};             // communication that no product covers, the mean of a rank
  std::string network, ranks;     // ranks: that were simulated, "2 of 8"

  void add(const Figures& other);
  double bandwidth() const { return (sent > 0 ? sent : moved) / seconds(latency); }
};

void Figures::add(const Figures& other) {
  latency += other.latency;
  for (std::uint32_t b = 0; b < kBounds; ++b) bounds.time[b] += other.bounds.time[b];
  bound += other.bound;
  moved += other.moved;
  sent += other.sent;
  hits += other.hits;
  requests += other.requests;
  operations += other.operations;
  exposed += other.exposed;
  network = other.network;
  ranks = other.ranks;
}

// The mean of a rank.
Duration exposed(const Experiment& experiment, const PassResult& pass) {
  const std::vector<Overlap> ranks = overlaps(trace_of(experiment, pass));
  Duration sum{};
  for (const Overlap& rank : ranks) sum += rank.exposed;
  return sum / static_cast<std::int64_t>(std::max<std::size_t>(1, ranks.size()));
}

Figures figures_of(const PassResult& pass) {
  const RankResult& rank = pass.run.ranks.front();
  Figures figures;
  figures.pass = pass.name;
  figures.latency = pass.run.makespan;
  figures.bounds = pass.bounds;
  figures.bound = pass.bounds.largest();
  figures.moved = rank.l2_read + rank.l2_write;
  figures.sent = static_cast<double>(rank.sent);
  figures.hits = static_cast<double>(rank.l2.read.hit);
  figures.requests = figures.hits + static_cast<double>(rank.l2.read.miss);
  for (const RankResult& each : pass.run.ranks) {
    for (const TaskRecord& task : each.records) figures.operations += static_cast<double>(task.operations);
  }
  figures.network = pass.run.network;
  return figures;
}

// One of the table's cases, run.
struct Run {
  const PublishedCase* of = nullptr;
  std::string hardware, machine;  // machine: in words
  std::vector<Figures> passes;    // by columns without the pass: their sum alone
};

// A point's row while it is filled.
struct Row {
  const Figures& figures;
  const Figures* against;  // of the case that it is compared with
  Point& point;
};

void add_binding(const Row& row) {
  const Bounds& bounds = row.figures.bounds;
  row.point.more.emplace_back(
      Column::words("limiter", "binding"),
      row.figures.pass == kTotal ? std::string() : std::string(name_of(bounds.binding())));
}

void add_bounds(const Row& row) {
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    const std::string name(name_of(static_cast<Bound>(b)));
    row.point.more.emplace_back(Column::milliseconds(b == 0 ? ">= " + name : name, name + "_ps"),
                                row.figures.bounds.time[b]);
  }
}

void add_bound(const Row& row) {
  row.point.more.emplace_back(Column::milliseconds("bound", "bound_ps"), row.figures.bound);
}

void add_link_bound(const Row& row) {
  Column column = Column::microseconds(">= link us", "link_ps");
  column.decimals = 1;
  row.point.more.emplace_back(std::move(column),
                              row.figures.bounds.time[static_cast<std::size_t>(Bound::kLink)]);
}

void add_links_busy(const Row& row) {
  const Duration link = row.figures.bounds.time[static_cast<std::size_t>(Bound::kLink)];
  row.point.more.emplace_back(Column::number("links busy", "", 2),
                              seconds(link) / seconds(row.figures.latency));
}

void add_exposed(const Row& row) {
  row.point.more.emplace_back(Column::milliseconds("exposed", "exposed_ps"), row.figures.exposed);
}

void add_ranks(const Row& row) {
  row.point.more.emplace_back(Column::words("ranks simulated"), row.figures.ranks);
}

void add_network(const Row& row) {
  row.point.more.emplace_back(Column::words("network"), row.figures.network);
}

void add_against(const Row& row) {
  Cell cell;
  if (row.against) cell = seconds(row.figures.latency) / seconds(row.against->latency) - 1;
  row.point.more.emplace_back(Column::signed_percent("against"), cell);
}

constexpr std::pair<std::string_view, void (*)(const Row&)> kMoreColumns[] = {
    {"binding", add_binding},       {"bounds", add_bounds},   {"bound", add_bound},
    {"link bound", add_link_bound}, {"network", add_network}, {"against", add_against},
    {"links busy", add_links_busy}, {"exposed", add_exposed}, {"ranks simulated", add_ranks}};

void add_column(const PublishedTable& table, const std::string& name, const Row& row) {
  const auto known = std::ranges::find(kMoreColumns, name, [](const auto& column) { return column.first; });
  if (known != std::end(kMoreColumns)) return known->second(row);
  std::vector<std::string_view> names;
  for (const auto& [other, add] : kMoreColumns) names.push_back(other);
  throw InputError(
      fmt::format("{}: unknown column '{}'; known: {}", table.name, name, fmt::join(names, ", ")));
}

bool by_pass(const PublishedTable& table) {
  return std::ranges::find(table.columns, "pass") != table.columns.end();
}

bool is_wanted(const PublishedCase& one, const Scenario& scenario, const Wanted& wanted) {
  if (!one.variant.empty()) {
    const auto open = [&](const std::string& override) { return scenario.leaves_open(override); };
    if (!wanted.variants || !std::ranges::all_of(one.overrides, open)) return false;
  }
  return !wanted.cases || std::ranges::any_of(*wanted.cases, [&](Json coordinates) {
    coordinates.erase("pass");
    return same_coordinates(coordinates, one.coordinates);
  });
}

std::string counts_of(const WorkerKinds& kinds) {
  std::vector<std::string> counts;
  for (const WorkerKind& kind : kinds) counts.push_back(fmt::format("{} {}", kind.count, kind.name));
  return fmt::format("{}", fmt::join(counts, ", "));
}

Run run_case(const PublishedTable& table, const PublishedCase& one, const Scenario& scenario) {
  const Experiment experiment = scenario.load(table.experiment, one.overrides);
  const bool traced = std::ranges::any_of(table.metrics, [](const PublishedMetric& metric) {
    return std::ranges::find(metric.more, "exposed") != metric.more.end();
  });
  const bool record =
      traced || std::ranges::find(table.metrics, "tflops", &PublishedMetric::name) != table.metrics.end();
  Run run;
  run.of = &one;
  run.hardware = experiment.hardware.name;
  run.machine = fmt::format("{}: {}; order {}; network {}", experiment.hardware.name,
                            counts_of(experiment.workers), experiment.order.name, experiment.network);
  Figures total;
  for (const PassResult& pass : run_experiment(experiment, record)) {
    Figures figures = figures_of(pass);
    figures.ranks =
        experiment.kept > 0 ? fmt::format("{} of {}", experiment.kept, experiment.shape.ep) : "all";
    if (traced) figures.exposed = exposed(experiment, pass);
    if (table.timed_from_kernel)
      figures.latency -= first_launch(experiment.hardware.runtime, experiment.run.launch);
    total.add(figures);
    if (by_pass(table)) run.passes.push_back(std::move(figures));
  }
  if (by_pass(table)) total.pass = kTotal;
  run.passes.push_back(std::move(total));
  return run;
}

// In what a run is measured in; NaN: nothing is known of it.
double amount_of(const PublishedMetric& metric, const Figures& figures, const Figures* against) {
  const Duration latency = figures.latency;
  if (metric.name == "latency") return static_cast<double>(latency.count());
  if (metric.name == "tflops") return figures.operations / seconds(latency);
  if (metric.name == "bandwidth") return figures.bandwidth();
  if (metric.name == "l2_read_hit_rate") return figures.requests > 0 ? figures.hits / figures.requests : 0;
  if (metric.name == "speedup")
    return against && against != &figures ? seconds(against->latency) / seconds(latency)
                                          : std::numeric_limits<double>::quiet_NaN();
  throw InputError(fmt::format("metrics: '{}' is nothing that one run has", metric.name));
}

// With the pass where its column stands.
Json coordinates_of(const PublishedTable& table, const PublishedCase& one, const std::string& pass) {
  Json coordinates = Json::object();
  for (const std::string& column : table.columns) {
    if (column == "pass") coordinates[column] = pass;
    if (one.coordinates.contains(column)) coordinates[column] = one.coordinates[column];
  }
  return coordinates;
}

void add_points(const PublishedTable& table, const Run& run, const Run* against, std::vector<Point>& points) {
  for (const PublishedMetric& metric : table.metrics) {
    for (std::size_t p = 0; p < run.passes.size(); ++p) {
      const Figures& figures = run.passes[p];
      const Figures* other = against ? &against->passes[p] : nullptr;
      const double amount = amount_of(metric, figures, other);
      if (amount != amount) continue;
      Point& point = points.emplace_back(Point{coordinates_of(table, *run.of, figures.pass), metric.name,
                                               metric.unit, in_unit(metric.name, metric.unit, amount),
                                               run.hardware, run.of->variant});
      for (const std::string& column : metric.more) add_column(table, column, {figures, other, point});
    }
  }
}

const Run* compared_with(const Run& run, const std::vector<Run>& runs) {
  if (run.of->against.is_null() || !run.of->variant.empty()) return nullptr;
  const auto found = std::ranges::find_if(runs, [&](const Run& other) {
    return other.of->variant.empty() && other.of->coordinates == run.of->against;
  });
  return found == runs.end() ? nullptr : &*found;
}

// Runs an experiment for each case and reads the table's metrics.
Predictions run_cases(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  std::vector<const PublishedCase*> cases;
  for (const PublishedCase& one : table.cases) {
    if (is_wanted(one, scenario, wanted)) cases.push_back(&one);
  }
  std::vector<Run> runs(cases.size());
  in_parallel(cases.size(), scenario.threads,
              [&](std::size_t i) { runs[i] = run_case(table, *cases[i], scenario); });
  Predictions result{table.heading, {}};
  std::string machine;
  for (const Run& run : runs) {
    if (run.of->variant.empty()) machine = run.machine;
    add_points(table, run, compared_with(run, runs), result.points);
  }
  constexpr std::string_view kMachine = "{machine}";
  if (const std::size_t at = result.heading.find(kMachine); at != std::string::npos)
    result.heading.replace(at, kMachine.size(), machine);
  return result;
}

A3SIM_REGISTER(Evaluation, "runs", "an experiment for each case, and its metrics", Evaluation{run_cases});

}  // namespace
}  // namespace a3sim
