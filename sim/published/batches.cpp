#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/config/decimal.h"
#include "sim/core/parallel.h"
#include "sim/core/statistics.h"
#include "sim/experiment/streams/batch_metrics.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/published/evaluation.h"
#include "sim/published/simplest_formula.h"

namespace a3sim {
namespace {

// Groups that run micro-batches with several methods.
struct BatchesBlock {
  std::vector<std::string> experiments;                    // one per group; phases are of the last
  std::string reference;                                   // the method that others are compared with
  std::vector<std::string> methods;                        // methods to run
  std::vector<std::string> latencies, stragglers, phases;  // methods whose values these are
  std::vector<std::uint32_t> dyns;                         // numbers of dynamic experts
  std::string varied;                                      // the experiment that variants change
  std::uint32_t variant_seeds = 1;                         // number of its seeds that variants run
};

void read_batches(const TableFile& file, PublishedTable& table) {
  const Config config = file.root.map("batches");
  BatchesBlock batches;
  batches.experiments = config.texts("experiments");
  if (batches.experiments.empty()) config.error("experiments", "none, expected at least one");
  batches.methods = config.texts("methods");
  const auto of_methods = [&](const char* key, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (std::ranges::find(batches.methods, name) == batches.methods.end())
        config.error(key, fmt::format("'{}' is none of the methods that run: {}", name,
                                      fmt::join(batches.methods, ", ")));
    return names;
  };
  batches.reference = of_methods("reference", {config.text("reference")}).front();
  batches.latencies = of_methods("latencies", config.texts("latencies"));
  batches.stragglers = of_methods("stragglers", config.texts("stragglers"));
  batches.phases = of_methods("phases", config.texts("phases"));
  table.signs = {"method", batches.reference, of_methods("signs", config.texts("signs"))};
  for (const std::string& text : config.texts("dyns")) {
    std::int64_t dyn = 0;
    if (!decimal_integer(text, dyn) || dyn < 1 || dyn > 1000)
      config.error("dyns", fmt::format("'{}', expected a whole number from 1 to 1000", text));
    batches.dyns.push_back(static_cast<std::uint32_t>(dyn));
  }
  batches.varied = config.text("varied");
  batches.variant_seeds = static_cast<std::uint32_t>(config.integer("variant_seeds", 1, 1000));
  config.finish();
  table.block = std::move(batches);
}

using Json = nlohmann::ordered_json;

using Results = std::vector<std::vector<MicroBatchResult>>;  // by seed

// Returns one metric of micro-batches, by seed.
template <class Value>
MeanInterval mean_over(const Results& results, const Value& value) {
  std::vector<std::vector<double>> by_seed;
  for (const auto& seed : results) {
    by_seed.emplace_back();
    for (const MicroBatchResult& result : seed) by_seed.back().push_back(value(result));
  }
  return mean_interval_of_groups(by_seed);
}

// Times of a micro-batch by the simplest formula.
struct FormulaTimes {
  Duration forward{}, backward{};
};

// Computes these for the first micro-batch of a seed.
FormulaTimes formula_times(const Experiment& experiment, const Batches& batches, double part_of_peak) {
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.program, experiment.cut.tiling);
  const LoadHistory history = history_before(batches);
  const MicroBatch batch(batches.counts.front(), history);
  const auto plan = plan_of(experiment, batch, cost);
  const auto time = [&](bool forward) {
    const StreamPass pass = write_stream_pass(experiment, *plan, cost, forward);
    return serial_roofline(pass.program, hardware, experiment.program, dies_of(experiment.run.ranks),
                           part_of_peak, [&](std::uint32_t task) { return pass.counts(task); })
        .total();
  };
  return {time(true), time(false)};
}

double mean_formula(const std::vector<FormulaTimes>& times, Duration FormulaTimes::* pass) {
  double sum = 0;
  for (const FormulaTimes& formula_times : times) sum += milliseconds(formula_times.*pass);
  return sum / static_cast<double>(times.size());
}

// Returns the milliseconds that the products of a row take in the forward pass.
double formula_of_row(const Experiment& experiment, double part_of_peak) {
  const Hardware hardware = sustained(experiment.hardware);
  const double macs = 3.0 * experiment.shape.hidden * experiment.shape.intermediate;
  const double peak = static_cast<double>(hardware.workers.count(CoreUnit::kMatrix)) *
                      hardware.cube.macs_per_cycle_16 * static_cast<double>(hardware.clock.count) *
                      hardware.cube.speed * part_of_peak;
  return macs / peak * 1e3;
}

// Results of one group's micro-batches.
struct Group {
  Experiment experiment;
  std::map<std::string, Results> by_method;
  std::map<std::string, std::vector<FormulaTimes>> formula_by_method;          // by seed
  std::map<std::uint32_t, std::vector<std::vector<double>>> straggler_by_dyn;  // of feplb, by seed
};

std::vector<double> stragglers(const Experiment& experiment, const Batches& batches, std::uint32_t dyn) {
  LoadHistory history = history_before(batches);
  MethodOptions with = experiment.work->micro_batches()->with;
  with.balance.dyn = dyn;
  std::vector<double> stragglers;
  for (const RoutingCounts& counts : batches.counts) {
    const MicroBatch batch(counts, history);
    std::vector<double> rows;
    for (std::uint32_t rank = 0; rank < counts.ranks(); ++rank) rows.push_back(sum_of(rows_at(batch, rank)));
    for (const ExpertMove& move : moves_of(batch, with)) {
      rows[move.from] -= batch.rows[move.expert];
      rows[move.to] += batch.rows[move.expert];
    }
    stragglers.push_back(above_mean(rows));
    history.add(batch.rows);
  }
  return stragglers;
}

// Collects points with the interval over seeds.
class Points {
 public:
  Points(const CaseSelection& wanted, std::string hardware)
      : wanted_(wanted), hardware_(std::move(hardware)) {}

  void add(const Json& coordinates, const char* metric, const char* unit, const MeanInterval& mean,
           const std::string& note = "", std::optional<double> formula = {}) {
    if (!wanted_.has(coordinates)) return;
    Point point{coordinates, metric, unit, mean.mean, hardware_, variant};
    point.more = {{Column::words("95 % over seeds"), fmt::format("{:.4g}..{:.4g}", mean.low, mean.high)},
                  {Column::words("note"), note}};
    point.formula = formula;
    points.push_back(std::move(point));
  }

  std::vector<Point> points;
  std::string variant{};  // of the points that are added

 private:
  const CaseSelection& wanted_;
  std::string hardware_;
};

// Runs the micro-batches of a seed under all methods.
void run_seed(const BatchesBlock& asked, std::size_t seed, const SimplestFormula& formula, Group& group) {
  const Batches batches = draw_batches(group.experiment, static_cast<std::uint32_t>(seed));
  for (const std::string& method : asked.methods) {
    const std::string set[] = {fmt::format("experiment.method={}", method)};
    const Experiment experiment = group.experiment.with(set);
    group.by_method.at(method)[seed] = run_micro_batches(experiment, batches);
    group.formula_by_method.at(method)[seed] =
        formula_times(experiment, batches, formula.part_of_peak(experiment.hardware));
  }
  for (const std::uint32_t dyn : asked.dyns)
    group.straggler_by_dyn.at(dyn)[seed] = stragglers(group.experiment, batches, dyn);
}

std::vector<Group> unrun_groups(const BatchesBlock& asked, const Scenario& scenario) {
  std::vector<Group> groups;
  for (const std::string& name : asked.experiments) {
    Group& group = groups.emplace_back(Group{scenario.load(name), {}, {}, {}});
    check_streams(group.experiment);
    const std::uint32_t seeds = group.experiment.work->micro_batches()->seeds;
    for (const std::string& method : asked.methods) {
      group.by_method[method].resize(seeds);
      group.formula_by_method[method].resize(seeds);
    }
    for (const std::uint32_t dyn : asked.dyns) group.straggler_by_dyn[dyn].resize(seeds);
  }
  return groups;
}

// Runs all seeds of all groups, and calls `ended` with each group when all of its seeds have been run: one call at a time.
std::vector<Group> run_groups(const BatchesBlock& asked, const Scenario& scenario,
                              const SimplestFormula& formula,
                              const std::function<void(const Group&)>& ended) {
  std::vector<Group> groups = unrun_groups(asked, scenario);
  const std::size_t seeds = groups.front().experiment.work->micro_batches()->seeds;
  std::vector<std::size_t> missing(groups.size(), seeds);
  std::mutex one_at_a_time;
  in_parallel(groups.size() * seeds, scenario.threads, [&](std::size_t i) {
    Group& group = groups[i / seeds];
    run_seed(asked, i % seeds, formula, group);
    const std::scoped_lock lock(one_at_a_time);
    if (--missing[i / seeds] == 0) ended(group);
  });
  return groups;
}

void add_latencies(const Json& json, const Results& results, const std::vector<FormulaTimes>& formula,
                   Points& points) {
  for (const char* pass : {"forward", "backward"}) {
    Json coordinates = json;
    coordinates["pass"] = pass;
    std::optional<double> by_hand;
    if (!formula.empty())
      by_hand = mean_formula(
          formula, pass == std::string_view("forward") ? &FormulaTimes::forward : &FormulaTimes::backward);
    points.add(coordinates, "latency", "ms", mean_over(results, batch_value("latency", pass)), "", by_hand);
  }
}

void latencies(const BatchesBlock& asked, const Group& group, Points& points) {
  for (const std::string& method : asked.latencies)
    add_latencies({{"ep", group.experiment.shape.ep}, {"method", method}}, group.by_method.at(method),
                  group.formula_by_method.at(method), points);
}

void stragglers_of(const BatchesBlock& asked, const Group& group, double part_of_peak, Points& points) {
  const std::uint32_t ep = group.experiment.shape.ep;
  for (const std::string& method : asked.stragglers) {
    const Results& results = group.by_method.at(method);
    const MeanInterval rows = mean_over(results, batch_value("token_straggler"));
    points.add({{"ep", ep}, {"method", method}}, "token_straggler", "rows", rows);
    points.add({{"ep", ep}, {"method", method}}, "gemm_straggler", "ms",
               mean_over(results, batch_value("product_straggler")), "",
               rows.mean * formula_of_row(group.experiment, part_of_peak));
  }
  for (const auto& [dyn, by_seed] : group.straggler_by_dyn)
    points.add({{"ep", ep}, {"dyn", dyn}}, "token_straggler", "rows", mean_interval_of_groups(by_seed));
}

void phases(const BatchesBlock& asked, const Group& group, Points& points) {
  const Results& none = group.by_method.at(asked.reference);
  const std::uint32_t ep = group.experiment.shape.ep;
  const auto add = [&](const std::string& method, const char* phase) {
    const BatchValue time = batch_value(phase);
    std::vector<std::vector<double>> by_seed;
    const Results& results = group.by_method.at(method);
    for (std::size_t seed = 0; seed < results.size(); ++seed) {
      by_seed.emplace_back();
      for (std::size_t b = 0; b < results[seed].size(); ++b)
        by_seed.back().push_back(time(results[seed][b]) / time(none[seed][b]) - 1);
    }
    points.add({{"ep", ep}, {"method", method}, {"phase", phase}}, "overhead", "fraction",
               mean_interval_of_groups(by_seed));
  };
  for (const std::string& method : asked.phases) {
    add(method, "dispatch");
    add(method, "combine");
  }
  const auto waste = [value = batch_value("waste")](const MicroBatchResult& r) { return value(r) / 100; };
  points.add({{"ep", ep}, {"method", asked.reference}}, "waste", "fraction", mean_over(none, waste));
  const auto busiest = [](const MicroBatchResult& r) { return *std::ranges::max_element(r.rows); };
  double least = 1e18, most = 0;
  for (const auto& seed : none) {
    for (const MicroBatchResult& r : seed) {
      least = std::min(least, *std::ranges::min_element(r.rows));
      most = std::max(most, busiest(r));
    }
  }
  points.add({{"ep", ep}, {"method", asked.reference}}, "rows_per_rank", "rows", mean_over(none, busiest),
             fmt::format("the busiest rank; all ranks {:.0f}..{:.0f}", least, most));
}

// Adds by how many points more dynamic experts reduce the reference's straggler, as a mean over the groups.
void gains(const BatchesBlock& asked, const std::vector<Group>& groups, Points& points) {
  for (std::size_t d = 1; d < asked.dyns.size(); ++d) {
    const std::uint32_t from = asked.dyns[d - 1], to = asked.dyns[d];
    MeanInterval all;
    double least = 1e18, most = -1e18;
    for (const Group& group : groups) {
      const double none = mean_over(group.by_method.at(asked.reference), batch_value("token_straggler")).mean;
      std::vector<std::vector<double>> by_seed = group.straggler_by_dyn.at(from);
      for (std::size_t s = 0; s < by_seed.size(); ++s) {
        for (std::size_t b = 0; b < by_seed[s].size(); ++b)
          by_seed[s][b] = 100 * (by_seed[s][b] - group.straggler_by_dyn.at(to)[s][b]) / none;
      }
      const MeanInterval mean = mean_interval_of_groups(by_seed);
      const auto n = static_cast<double>(groups.size());
      all = {all.mean + mean.mean / n, all.low + mean.low / n, all.high + mean.high / n};
      least = std::min(least, mean.mean);
      most = std::max(most, mean.mean);
    }
    points.add({{"dyn_from", from}, {"dyn_to", to}}, "straggler_gain", "points", all,
               fmt::format("over the groups {:.1f}..{:.1f}", least, most));
  }
}

// Adds points of the one experiment that the table varies.
void variants(const PublishedTable& table, const Scenario& scenario, Points& points) {
  const auto& asked = std::any_cast<const BatchesBlock&>(table.block);
  std::vector<std::pair<const PublishedVariant*, std::string>> runs;
  for (const PublishedVariant& one : table.variants) {
    if (!std::ranges::all_of(one.overrides, [&](const std::string& o) { return scenario.leaves_open(o); }))
      continue;
    for (const std::string& method : one.methods) runs.emplace_back(&one, method);
  }
  std::vector<Results> results(runs.size());
  std::vector<std::uint32_t> eps(runs.size());
  in_parallel(runs.size(), scenario.threads, [&](std::size_t i) {
    const Experiment variant = scenario.load(asked.varied, runs[i].first->overrides);
    const std::uint32_t seeds = std::min(variant.work->micro_batches()->seeds, asked.variant_seeds);
    const std::string set[] = {fmt::format("experiment.method={}", runs[i].second)};
    const Experiment experiment = variant.with(set);
    eps[i] = experiment.shape.ep;
    for (std::uint32_t seed = 0; seed < seeds; ++seed)
      results[i].push_back(run_micro_batches(experiment, draw_batches(experiment, seed)));
  });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    points.variant = runs[i].first->name;
    const Json json{{"ep", eps[i]}, {"method", runs[i].second}};
    add_latencies(json, results[i], {}, points);
    points.add(json, "token_straggler", "rows", mean_over(results[i], batch_value("token_straggler")));
  }
}

Predictions run_batches(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  const auto& asked = std::any_cast<const BatchesBlock&>(table.block);
  const SimplestFormula formula = SimplestFormula::read(scenario.configs);
  const std::vector<Group> all = run_groups(asked, scenario, formula, [&](const Group& group) {
    if (!wanted.seen) return;
    Points points(wanted, group.experiment.hardware.name);
    latencies(asked, group, points);
    stragglers_of(asked, group, formula.part_of_peak(group.experiment.hardware), points);
    wanted.seen(std::move(points.points));
  });
  Points points(wanted, all.front().experiment.hardware.name);
  for (const Group& group : all) latencies(asked, group, points);
  for (const Group& group : all)
    stragglers_of(asked, group, formula.part_of_peak(group.experiment.hardware), points);
  phases(asked, all.back(), points);
  gains(asked, all, points);
  if (wanted.variants) variants(table, scenario, points);
  return {table.heading, std::move(points.points)};
}

A3SIM_REGISTER(Evaluation, "batches", "micro-batches on streams under drifting routing, by method",
               Evaluation{run_batches, read_batches});

}  // namespace
}  // namespace a3sim
