#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/statistics.h"
#include "sim/experiment/streams/batch_metrics.h"
#include "sim/published/cases.h"
#include "sim/published/simplest_formula.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;
using Samples = std::vector<std::vector<SampledMetric>>;  // by seed
using Values = std::vector<std::vector<double>>;          // by seed

constexpr std::string_view kAllPasses = "total";

// An experiment that is sampled once for all cases that run it.
struct SampledRun {
  std::string name;
  std::vector<std::string> overrides;
  Experiment experiment;
  Samples samples{};
  Samples by_hand{};        // by the simplest formula
  std::size_t missing = 0;  // seeds
};

struct SampledCase {
  const PublishedCase* published_case;
  std::size_t run, other;  // other: what it is compared with; `run` if with nothing
};

// Returns the values of a metric in a pass, by seed; empty if there are none.
Values sampled_values(const Samples& samples, std::string_view metric, std::string_view pass = kAllPasses) {
  Values values;
  for (const auto& seed : samples) {
    for (const SampledMetric& sampled : seed)
      if (sampled.name == metric && sampled.pass == pass) values.push_back(sampled.values);
  }
  return values;
}

// Combines two lists of values sample by sample.
template <class Combine>
Values combined(Values own, const Values& other, const Combine& combine) {
  for (std::size_t seed = 0; seed < own.size(); ++seed) {
    for (std::size_t s = 0; s < own[seed].size(); ++s) own[seed][s] = combine(own[seed][s], other[seed][s]);
  }
  return own;
}

// Fills in the point's value and its further columns.
void fill_in(Point& point, const MeanInterval& mean, double scale, const std::string& note) {
  point.value = mean.mean * scale;
  point.more = {
      {Column::words("95 % over seeds"), fmt::format("{:.4g}..{:.4g}", mean.low * scale, mean.high * scale)},
      {Column::words("note"), note}};
}

// Returns how many of the asked unit one of those is that samples have.
double scale_of_samples(const PublishedMetric& asked, const Metric& metric) {
  if (metric.relation != Metric::Relation::kNone) return 1 / metric_unit(asked.name, asked.unit).value();
  if (metric.unit().empty()) return 1;
  return metric_unit(asked.name, metric.unit()).value() / metric_unit(asked.name, asked.unit).value();
}

std::string range_of_ranks(const Samples& samples) {
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const auto& seed : sampled_values(samples, kFewestRows))
    least = std::min(least, std::ranges::min(seed));
  for (const auto& seed : sampled_values(samples, kMostRows)) most = std::max(most, std::ranges::max(seed));
  return fmt::format("the busiest rank; all ranks {:.0f}..{:.0f}", least, most);
}

class SampledTable {
 public:
  SampledTable(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted)
      : table_(table),
        scenario_(scenario),
        wanted_(wanted),
        formula_(SimplestFormula::read(scenario.configs)) {
    for (const PublishedCase& one : table.cases) {
      if (!is_wanted(one, scenario, wanted)) continue;
      const std::size_t run = add(table.experiment_of(one), one.overrides);
      const PublishedCase other = one.over ? over_of(table, one) : one;
      cases_.push_back({&one, run, add(table.experiment_of(other), other.overrides)});
    }
  }

  // Samples every experiment with all of its seeds.
  void run() {
    std::vector<std::pair<std::size_t, std::uint32_t>> samples;  // run, seed
    for (std::size_t r = 0; r < runs_.size(); ++r)
      for (std::uint32_t seed = 0; seed < runs_[r].missing; ++seed) samples.emplace_back(r, seed);
    std::mutex one_at_a_time;
    in_parallel(samples.size(), scenario_.threads, [&](std::size_t i) {
      const auto [r, seed] = samples[i];
      sample(runs_[r], seed);
      const std::scoped_lock lock(one_at_a_time);
      if (--runs_[r].missing == 0 && wanted_.seen) see(r);
    });
  }

  std::vector<Point> points() const {
    std::vector<Point> points;
    for (const SampledCase& one : cases_) add_points(one, points);
    if (table_.gain && !wanted_.cases) add_gains(points);
    return points;
  }

 private:
  std::size_t add(const std::string& name, const std::vector<std::string>& overrides) {
    const auto known = std::ranges::find_if(
        runs_, [&](const SampledRun& run) { return run.name == name && run.overrides == overrides; });
    const auto number = static_cast<std::size_t>(known - runs_.begin());
    if (known != runs_.end()) return number;
    SampledRun& run = runs_.emplace_back(SampledRun{name, overrides, scenario_.load(name, overrides)});
    run.missing = run.experiment.work->seeds();
    run.samples.resize(run.missing);
    run.by_hand.resize(run.missing);
    return number;
  }

  void sample(SampledRun& run, std::uint32_t seed) const {
    const Experiment& experiment = run.experiment;
    run.samples[seed] = experiment.work->sample(experiment, seed);
    if (experiment.work->micro_batches())
      run.by_hand[seed] = batch_samples_by_hand(experiment, seed, run.samples[seed],
                                                formula_.part_of_peak(experiment.hardware));
  }

  // Shows what the run alone gives.
  void see(std::size_t run) const {
    std::vector<Point> points;
    for (const SampledCase& one : cases_)
      if (one.run == run && one.other == run && one.published_case->variant.empty()) add_points(one, points);
    if (!points.empty()) wanted_.seen(std::move(points));
  }

  void add_points(const SampledCase& one, std::vector<Point>& points) const {
    const std::vector<std::string> known = runs_[one.run].experiment.work->sampled_metrics();
    for (const PublishedMetric& asked : metrics_of(table_, *one.published_case)) {
      if (!asked.variants && !one.published_case->variant.empty()) continue;
      const std::string& name = asked.op.empty() ? asked.read() : asked.op;
      if (std::ranges::find(known, name) == known.end())
        throw InputError(fmt::format("{}: {} has no metric '{}'; it has {}", table_.name,
                                     runs_[one.run].experiment.name, name, fmt::join(known, ", ")));
      for (const SampledMetric& sampled : runs_[one.run].samples.front()) {
        if (sampled.name == name && (asked.pass.empty() || asked.pass == sampled.pass))
          add_point(one, asked, sampled, points);
      }
    }
  }

  void add_point(const SampledCase& one, const PublishedMetric& asked, const SampledMetric& sampled,
                 std::vector<Point>& points) const {
    const SampledRun& run = runs_[one.run];
    const Metric& metric = Metrics::get(asked.read());
    Json coordinates = coordinates_of(table_, *one.published_case, sampled.pass);
    if (sampled.pass == kAllPasses) coordinates.erase("pass");
    if (!wanted_.has(coordinates)) return;
    const auto in = [&](const Samples& samples) {
      return sampled_values(samples, sampled.name, sampled.pass);
    };
    const Values by_hand = in(run.by_hand);
    const bool related = metric.relation != Metric::Relation::kNone;
    const Values values =
        !related ? in(run.samples)
                 : combined(in(run.samples), in(runs_[one.other].samples),
                            [&](double own, double other) { return metric.related(own, other); });
    const double scale = scale_of_samples(asked, metric);
    Point& point = points.emplace_back(Point{std::move(coordinates), asked.name, asked.unit, 0,
                                             run.experiment.hardware.name, one.published_case->variant});
    if (!related && point.variant.empty() && !by_hand.empty())
      point.formula = mean_interval_of_groups(by_hand).mean * scale;
    fill_in(point, mean_interval_of_groups(values), scale,
            asked.read() == kMostRows ? range_of_ranks(run.samples) : "");
  }

  // Returns the values of a column among the cases that have the gain's key, in their order.
  std::vector<Json> values_of_column(const std::string& column) const {
    std::vector<Json> values;
    for (const SampledCase& one : cases_) {
      const Json& coordinates = one.published_case->coordinates;
      if (coordinates.contains(table_.gain->key) &&
          std::ranges::find(values, coordinates.at(column)) == values.end())
        values.push_back(coordinates.at(column));
    }
    return values;
  }

  // Returns the values of the gain's quantity in the case with these coordinates.
  Values quantity_of(Json coordinates, const Json& more) const {
    coordinates.update(more);
    for (const SampledCase& one : cases_) {
      if (same_coordinates(one.published_case->coordinates, coordinates))
        return sampled_values(runs_[one.run].samples, table_.gain->quantity);
    }
    throw InputError(fmt::format("{}: gain: there is no case {}", table_.name, coordinates.dump()));
  }

  // Adds by how many points of the reference's mean the quantity falls, as a mean over the groups.
  void add_gains(std::vector<Point>& points) const {
    const PublishedGain& asked = *table_.gain;
    const std::vector<Json> values = values_of_column(asked.key), groups = values_of_column(asked.over);
    for (std::size_t v = 1; v < values.size(); ++v) {
      MeanInterval all;
      std::vector<double> means;
      for (const Json& group : groups) {
        const Json in{{asked.over, group}};
        const double whole = mean_interval_of_groups(quantity_of(in, asked.of)).mean;
        const MeanInterval mean = mean_interval_of_groups(
            combined(quantity_of(in, {{asked.key, values[v - 1]}}), quantity_of(in, {{asked.key, values[v]}}),
                     [&](double from, double to) { return 100 * (from - to) / whole; }));
        const auto n = static_cast<double>(groups.size());
        all = {all.mean + mean.mean / n, all.low + mean.low / n, all.high + mean.high / n};
        means.push_back(mean.mean);
      }
      const auto [least, most] = std::ranges::minmax(means);
      const Json from_to{{asked.key + "_from", values[v - 1]}, {asked.key + "_to", values[v]}};
      points.push_back({from_to, asked.metric, "points", 0, runs_.front().experiment.hardware.name});
      fill_in(points.back(), all, 1, fmt::format("over the groups {:.1f}..{:.1f}", least, most));
    }
  }

  const PublishedTable& table_;
  const Scenario& scenario_;
  const CaseSelection& wanted_;
  SimplestFormula formula_;
  std::vector<SampledRun> runs_;
  std::vector<SampledCase> cases_;
};

}  // namespace

Predictions run_samples(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  SampledTable sampled(table, scenario, wanted);
  sampled.run();
  return {table.heading, sampled.points()};
}

}  // namespace a3sim
