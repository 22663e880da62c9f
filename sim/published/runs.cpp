#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "sim/compare/orders/ingredient.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/cases.h"
#include "sim/published/measures.h"
#include "sim/published/simplest_formula.h"
#include "sim/result/metrics/metric_unit.h"
#include "sim/result/metrics/pass_analysis.h"
#include "traces/analysis/causes.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/operator_blame.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTotal = "total";

// Metrics of one pass of a run, or of all passes.
struct PassMetrics {
  std::string pass;
  std::map<std::string, MetricAmount> amounts;  // by PublishedMetric::key()
  Bounds bounds;
  std::string network, ranks;  // ranks: the simulated ones, "2 of 8"
  // By the simplest formula, of the pass (by an empty name) and of operators; absent: not computed.
  std::map<std::string, Duration> formula{};
  std::uint32_t aivs = 0;                  // of a rank, that ran a task
  std::string limit{};                     // what most of the critical path is spent on
  std::optional<IngredientFacts> facts{};  // for the column `because`

  void add(const PassMetrics& other);
  Duration time(const std::string& key) const { return mean_time(amounts.at(key)); }
};

void PassMetrics::add(const PassMetrics& other) {
  for (const auto& [key, amount] : other.amounts) {
    MetricAmount& sum = amounts[key];
    sum = {sum.part + amount.part, sum.whole + amount.whole, amount.count};
  }
  for (std::uint32_t b = 0; b < kBounds; ++b) bounds.time[b] += other.bounds.time[b];
  aivs = std::max(aivs, other.aivs);
  if (other.facts && facts)
    facts->add(*other.facts);
  else
    facts = other.facts;
  network = other.network;
  ranks = other.ranks;
  for (const auto& [op, time] : other.formula) formula[op] += time;
}

// One case of the table, run.
struct CaseRun {
  const PublishedCase* published_case = nullptr;
  std::string hardware, machine;    // machine: in words
  std::vector<PassMetrics> passes;  // by columns without the pass; else only their sum
};

// A point's row while it is being filled.
struct Row {
  const PublishedMetric& metric;
  const PassMetrics& own;
  const PassMetrics* against;  // of the compared case
  Point& point;
};

Column exact_microseconds(const char* head, const char* key) {
  Column column = Column::microseconds(head, key);
  column.decimals = 1;
  return column;
}

void add_binding(const Row& row) {
  row.point.more.emplace_back(
      Column::words("limiter", "binding"),
      row.own.pass == kTotal ? std::string() : std::string(name_of(row.own.bounds.binding())));
}

void add_bounds(const Row& row) {
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    if (!is_shown(static_cast<Bound>(b), row.own.bounds.time[b])) continue;
    const std::string name(name_of(static_cast<Bound>(b)));
    row.point.more.emplace_back(Column::milliseconds(b == 0 ? ">= " + name : name, name + "_ps"),
                                row.own.bounds.time[b]);
  }
}

void add_bound(const Row& row) {
  row.point.more.emplace_back(Column::milliseconds("bound", "bound_ps"), row.own.time("bound"));
}

Duration link_bound(const Row& row) { return row.own.bounds.time[static_cast<std::size_t>(Bound::kLink)]; }

void add_above_bound(const Row& row) {
  const double bound = seconds(row.own.time("bound"));
  row.point.more.emplace_back(Column::signed_percent("above bound"),
                              bound > 0 ? Cell(seconds(row.own.time("latency")) / bound - 1) : Cell());
}

void add_gain(const Row& row) {
  Cell cell;
  if (row.against) cell = seconds(row.against->time("latency")) / seconds(row.own.time("latency"));
  row.point.more.emplace_back(Column::number("gain x", "gain", 2), cell);
}

void add_aivs(const Row& row) {
  row.point.more.emplace_back(Column::count("AIVs", "aivs"), whole(row.own.aivs));
}

void add_limit(const Row& row) {
  row.point.more.emplace_back(Column::words("what stops it", "limit").or_else(""), row.own.limit);
}

void add_link_bound(const Row& row) {
  row.point.more.emplace_back(exact_microseconds(">= link us", "link_ps"), link_bound(row));
}

void add_links_busy(const Row& row) {
  row.point.more.emplace_back(Column::number("links busy", "", 2),
                              seconds(link_bound(row)) / seconds(row.own.time("latency")));
}

void add_exposed(const Row& row) {
  row.point.more.emplace_back(Column::milliseconds("exposed", "exposed_ps"), row.own.time("exposed"));
}

void add_ranks(const Row& row) {
  row.point.more.emplace_back(Column::words("ranks simulated"), row.own.ranks);
}

void add_network(const Row& row) { row.point.more.emplace_back(Column::words("network"), row.own.network); }

void add_against(const Row& row) {
  Cell cell;
  if (row.against) cell = seconds(row.own.time("latency")) / seconds(row.against->time("latency")) - 1;
  row.point.more.emplace_back(Column::signed_percent("against"), cell);
}

// Adds why a case takes longer or less than the compared one, from what their runs did.
void add_because(const Row& row) {
  std::string text;
  if (row.against && row.against != &row.own && row.own.facts && row.against->facts) {
    const double longer = seconds(row.own.time("latency")) / seconds(row.against->time("latency")) - 1;
    text = reason_for(*row.own.facts, *row.against->facts, longer);
  }
  row.point.more.emplace_back(Column::words("because").or_else(""), text);
}

// Adds the two times whose ratio the metric is.
void add_compared(const Row& row) {
  row.point.more.emplace_back(exact_microseconds("alone us", "alone_ps"),
                              row.against->time(row.metric.key()));
  row.point.more.emplace_back(exact_microseconds("beside us", "beside_ps"), row.own.time(row.metric.key()));
}

void add_communicating(const Row& row) {
  const MetricAmount& amount = row.own.amounts.at(PublishedMetric::key_of("communicating", row.metric.op));
  row.point.more.emplace_back(Column::percent("communication goes on", "", 0), amount.part / amount.whole);
}

// A further column of a metric's rows, with the metrics that it needs.
struct MoreColumn {
  std::string_view name;
  void (*add)(const Row&);
  std::string_view metric = {};
};
constexpr MoreColumn kMoreColumns[] = {{"binding", add_binding},
                                       {"bounds", add_bounds},
                                       {"bound", add_bound, "bound"},
                                       {"above bound", add_above_bound, "bound"},
                                       {"gain", add_gain},
                                       {"AIVs", add_aivs, "exposed"},
                                       {"limit", add_limit, "exposed"},
                                       {"link bound", add_link_bound},
                                       {"network", add_network},
                                       {"against", add_against},
                                       {"because", add_because, "exposed"},
                                       {"links busy", add_links_busy},
                                       {"exposed", add_exposed, "exposed"},
                                       {"ranks simulated", add_ranks},
                                       {"compared", add_compared},
                                       {"communicating", add_communicating, "communicating"}};

const MoreColumn& column_of(const PublishedTable& table, const std::string& name) {
  const auto known = std::ranges::find(kMoreColumns, name, &MoreColumn::name);
  if (known != std::end(kMoreColumns)) return *known;
  std::vector<std::string_view> names;
  for (const MoreColumn& other : kMoreColumns) names.push_back(other.name);
  throw InputError(
      fmt::format("{}: unknown column '{}'; known: {}", table.name, name, fmt::join(names, ", ")));
}

// A metric that is read from runs, with its operator and its only pass.
using NeededMetric = std::tuple<std::string, std::string, std::string>;

// Returns the metrics that a case needs, also for its columns.
std::set<NeededMetric> needed_of(const PublishedTable& table, const PublishedCase& one) {
  std::set<NeededMetric> needed{{"latency", "", ""}};
  for (const PublishedMetric& metric : metrics_of(table, one)) {
    needed.emplace(metric.read(), metric.op, metric.pass);
    for (const std::string& column : metric.more) {
      const std::string other(column_of(table, column).metric);
      if (!other.empty()) needed.emplace(other, Metrics::get(other).amount ? "" : metric.op, metric.pass);
    }
  }
  return needed;
}

bool has_column(const PublishedTable& table, std::string_view column) {
  return std::ranges::any_of(table.metrics, [&](const PublishedMetric& metric) {
    return std::ranges::find(metric.more, column) != metric.more.end();
  });
}

bool by_pass(const PublishedTable& table) {
  return std::ranges::find(table.columns, "pass") != table.columns.end();
}

// True if all metrics of a table compare cases, and another case is compared with this one.
bool is_needed(const PublishedTable& table, const PublishedCase& one) {
  const auto compares = [](const PublishedMetric& metric) {
    return Metrics::get(metric.read()).relation != Metric::Relation::kNone;
  };
  return std::ranges::all_of(metrics_of(table, one), compares) &&
         std::ranges::find(table.cases, one.coordinates, &PublishedCase::against) != table.cases.end();
}

std::string counts_of(const WorkerKinds& kinds) {
  std::vector<std::string> counts;
  for (const WorkerKind& kind : kinds) counts.push_back(fmt::format("{} {}", kind.count, kind.name));
  return fmt::format("{}", fmt::join(counts, ", "));
}

// Returns the largest number of vector cores of a rank that ran a task with work.
std::uint32_t aivs_of(const PassResult& pass) {
  std::size_t most = 0;
  for (std::size_t r = 0; r < pass.run.ranks.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    std::set<std::uint32_t> workers;
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskRecord& record = pass.run.ranks[r].records[t];
      if (ssc.tasks()[t].queue_type == ssc.kinds().queue_for(CoreUnit::kVector) && record.end > record.start)
        workers.insert(record.worker);
    }
    most = std::max(most, workers.size());
  }
  return static_cast<std::uint32_t>(most);
}

// Returns "cube 71 %: GMM1, GMM2".
std::string limit_of(const Trace& trace) {
  const std::vector<MainBlame> ranked = ranked_blame(blame_of(trace, critical_path(Causes(trace))));
  if (ranked.empty()) return {};
  const MainBlame& most = ranked.front();
  return fmt::format("{} {}{}{}", name_of(most.blame), in_percent(most.part, 0),
                     most.operators.empty() ? "" : ": ", fmt::join(most.operators, ", "));
}

// Reads what a case needs from its passes, one by one.
class CaseReading {
 public:
  CaseReading(const PublishedTable& table, const PublishedCase& one, const Experiment& experiment)
      : table_(table), experiment_(experiment), needed_(needed_of(table, one)) {
    const auto has = [&](bool Metric::* need) {
      return std::ranges::any_of(
          needed_, [&](const NeededMetric& metric) { return Metrics::get(std::get<0>(metric)).*need; });
    };
    const bool of_operators =
        std::ranges::any_of(needed_, [](const NeededMetric& metric) { return !std::get<1>(metric).empty(); });
    const bool traced = has(&Metric::needs_trace);
    records_ = traced || of_operators || has(&Metric::needs_records);
    explained_ = traced && (has_column(table, "limit") || has_column(table, "AIVs"));
    if (table.timed_from_kernel) before_ = first_launch(experiment.program, experiment.run.launch);
    run_.published_case = &one;
    run_.hardware = experiment.hardware.name;
    run_.machine = fmt::format("{}: {}; order {}; network {}", experiment.hardware.name,
                               counts_of(experiment.workers), experiment.order.name, experiment.network);
  }

  bool records() const { return records_; }

  void add(const RunOutcome& outcome, const PassResult* schedules, const PreparedWork& work, std::size_t pass,
           double part_of_peak) {
    const PassAnalysis analysis(outcome, before_);
    PassMetrics metrics{outcome.name, {}, outcome.bounds, outcome.sums.network, "all"};
    if (experiment_.representatives > 0)
      metrics.ranks = fmt::format("{} of {}", experiment_.representatives, experiment_.shape.ep);
    if (schedules && explained_) {
      metrics.aivs = aivs_of(*schedules);
      metrics.limit = limit_of(*outcome.trace);
    }
    if (schedules && has_column(table_, "because")) metrics.facts = facts_of(experiment_, *schedules);
    for (const auto& [name, op, only] : needed_) {
      if (!only.empty() && only != outcome.name) continue;
      metrics.amounts[PublishedMetric::key_of(name, op)] = Metrics::get(name).amount_of(analysis, op);
      if (!run_.published_case->variant.empty() || metrics.formula.contains(op)) continue;
      if (const auto time = work.by_hand(experiment_, pass, part_of_peak, op))
        metrics.formula[op] = *time - before_;
    }
    total_.add(metrics);
    if (by_pass(table_)) run_.passes.push_back(std::move(metrics));
  }

  CaseRun take() {
    if (by_pass(table_)) total_.pass = kTotal;
    if (run_.passes.size() != 1)
      run_.passes.push_back(std::move(total_));  // of one pass it is no more than that
    return std::move(run_);
  }

 private:
  const PublishedTable& table_;
  const Experiment& experiment_;
  std::set<NeededMetric> needed_;
  bool records_ = false, explained_ = false;
  Duration before_{};
  CaseRun run_;
  PassMetrics total_;
};

CaseRun run_case(const PublishedTable& table, const PublishedCase& one, const Scenario& scenario,
                 const SimplestFormula& formula) {
  const Experiment experiment = scenario.load(table.experiment_of(one), one.overrides);
  CaseReading reading(table, one, experiment);
  const Record record = reading.records() ? Record::kTrace : Record::kSums;
  const double part = formula.part_of_peak(experiment.hardware);
  const std::shared_ptr<const PreparedWork> work = experiment.work->prepare(experiment, 1);
  if (const Compiled* const compiled = work->schedules()) {
    const std::vector<PassResult> passes =
        run_compiled(experiment, *compiled, reading.records(), backend_of(experiment));
    for (std::size_t p = 0; p < passes.size(); ++p)
      reading.add(outcome_of(experiment, passes[p], record), &passes[p], *work, p, part);
  } else {
    const std::vector<RunOutcome> passes = work->run_all(experiment, record, 1);
    for (std::size_t p = 0; p < passes.size(); ++p) reading.add(passes[p], nullptr, *work, p, part);
  }
  return reading.take();
}

// Returns the value in the unit that runs measure, or nullopt if it is unknown.
std::optional<double> value_of(const PublishedMetric& asked, const PassMetrics& own,
                               const PassMetrics* other) {
  const Metric& metric = Metrics::get(asked.read());
  const double value = metric.base_value(own.amounts.at(asked.key()));
  if (metric.relation == Metric::Relation::kNone) return value;
  if (!other || other == &own) return {};
  return metric.related(value, metric.base_value(other->amounts.at(asked.key())));
}

std::optional<double> formula_of(const PublishedMetric& asked, const PassMetrics& own,
                                 const PassMetrics* other) {
  const auto by_hand = [&](const PassMetrics& pass) {
    const auto known = pass.formula.find(asked.op);
    return known == pass.formula.end() ? Duration::zero() : known->second;
  };
  const std::optional<double> value =
      formula_value(Metrics::get(asked.read()), asked.read(), own.amounts.at(asked.key()), by_hand(own),
                    other ? std::optional(by_hand(*other)) : std::nullopt);
  return value ? std::optional(in_unit(asked.name, asked.unit, *value)) : std::nullopt;
}

// Returns the pass of another case that a case's pass is compared with, or nullptr if there is none, or if
// the pass is the total of others.
const PassMetrics* same_pass(const CaseRun& run, const PassMetrics& own, const CaseRun& other) {
  const bool all = run.passes.size() == other.passes.size();
  if (own.pass == kTotal && !all) return nullptr;
  const auto found = std::ranges::find(other.passes, own.pass, &PassMetrics::pass);
  return found == other.passes.end() ? nullptr : &*found;
}

void add_points(const PublishedTable& table, const CaseRun& run, const CaseRun* against,
                std::vector<Point>& points) {
  for (const PublishedMetric& metric : metrics_of(table, *run.published_case)) {
    for (std::size_t p = 0; p < run.passes.size(); ++p) {
      const PassMetrics& own = run.passes[p];
      if (!own.amounts.contains(metric.key())) continue;  // of another pass
      const PassMetrics* other = against ? same_pass(run, own, *against) : nullptr;
      const std::optional<double> value = value_of(metric, own, other);
      if (!value) continue;
      Point& point = points.emplace_back(
          Point{coordinates_of(table, *run.published_case, own.pass), metric.name, metric.unit,
                in_unit(metric.name, metric.unit, *value), run.hardware, run.published_case->variant});
      const auto& bounds = own.bounds.time;
      point.bound = *std::ranges::max_element(bounds);
      point.formula = formula_of(metric, own, other);
      for (const std::string& column : metric.more) column_of(table, column).add({metric, own, other, point});
    }
  }
}

const CaseRun* compared_with(const CaseRun& run, std::span<const CaseRun> runs) {
  if (run.published_case->against.is_null() || !run.published_case->variant.empty()) return nullptr;
  const auto found = std::ranges::find_if(runs, [&](const CaseRun& other) {
    return other.published_case->variant.empty() &&
           other.published_case->coordinates == run.published_case->against;
  });
  return found == runs.end() ? nullptr : &*found;
}

// Returns whether the table's experiments are measured by samples, not by passes.
bool is_sampled(const PublishedTable& table, const Scenario& scenario) {
  if (table.cases.empty()) return false;
  const PublishedCase& one = table.cases.front();
  return !scenario.load(table.experiment_of(one), one.overrides).work->measured_by_pass();
}

// Runs an experiment for each case and reads the table's metrics.
Predictions run_cases(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  if (!table.kernels.empty()) return run_measures(table, scenario, wanted);
  if (is_sampled(table, scenario)) return run_samples(table, scenario, wanted);
  std::vector<const PublishedCase*> cases;
  for (const PublishedCase& one : table.cases) {
    if (is_wanted(one, scenario, wanted) || (one.variant.empty() && is_needed(table, one)))
      cases.push_back(&one);
  }
  const std::size_t rows = cases.size();
  std::deque<PublishedCase> overs;  // their runs come last
  std::map<const PublishedCase*, std::size_t> place_of_over;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!cases[i]->over) continue;
    place_of_over[cases[i]] = cases.size();
    cases.push_back(&overs.emplace_back(over_of(table, *cases[i])));
  }
  const SimplestFormula formula = SimplestFormula::read(scenario.configs);
  std::vector<CaseRun> runs(cases.size());
  std::mutex one_at_a_time;
  in_parallel(cases.size(), scenario.threads, [&](std::size_t i) {
    runs[i] = run_case(table, *cases[i], scenario, formula);
    if (!wanted.seen || i >= rows) return;
    std::vector<Point> points;
    add_points(table, runs[i], nullptr, points);
    const std::scoped_lock lock(one_at_a_time);
    wanted.seen(std::move(points));
  });
  Predictions result{table.heading, {}};
  std::string machine;
  for (const CaseRun& run : std::span(runs).first(rows)) {
    if (run.published_case->variant.empty()) machine = run.machine;
    const auto over = place_of_over.find(run.published_case);
    const CaseRun* const other =
        over == place_of_over.end() ? compared_with(run, std::span(runs).first(rows)) : &runs[over->second];
    add_points(table, run, other, result.points);
  }
  constexpr std::string_view kMachine = "{machine}";
  if (const std::size_t at = result.heading.find(kMachine); at != std::string::npos)
    result.heading.replace(at, kMachine.size(), machine);
  return result;
}

void read_runs(const TableFile& file, PublishedTable& table) {
  if (file.root.has("kernels")) return read_kernels(file, table);
  table.timed_from_kernel = read_timed_from_kernel(file);
  table.metrics = read_metrics(file.root);
  read_cases(file, table);
}

A3SIM_REGISTER(Evaluation, "runs", "an experiment for each case, and its metrics, or what `kernels` names",
               Evaluation{run_cases, read_runs});

}  // namespace
}  // namespace a3sim
