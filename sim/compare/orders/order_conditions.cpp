#include "sim/compare/orders/order_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "sim/core/config/decimal.h"
#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "sim/experiment/config/order_file.h"

namespace a3sim {
namespace {

constexpr double kSkews[] = {0.2, 0.4, 0.8};
constexpr std::uint64_t kRoutingSeed = 1;

std::string name_of(const RoutingSpec& routing) {
  if (routing.kind != "sampled") return routing.kind;
  return fmt::format("skew {:.4g}", routing.skew);
}

// The changes that give an experiment this routing, whatever else its own says.
std::vector<std::string> changes_to(const RoutingSpec& routing) {
  std::string block = fmt::format("routing={{kind: {}", routing.kind);
  if (routing.kind == "sampled") block += fmt::format(", seed: {}, skew: {}", routing.seed, routing.skew);
  return {block + '}'};
}

// Returns the machine's workers with as many of each kind as its file leaves open at most, and at least.
std::vector<WorkerKinds> open_counts(const Experiment& experiment) {
  WorkerKinds most = experiment.hardware.workers, least = most;
  if (!experiment.tree) return {};
  Diagnostics ignored;
  const auto open = [&](const SourcedValue& value, std::string_view block, WorkerKind& high,
                        WorkerKind& low) {
    if (value.low.empty() || value.path != fmt::format("hardware.workers.{}.count", block)) return;
    std::int64_t number = 0;
    if (decimal_integer(value.high, number)) high.count = static_cast<std::uint32_t>(number);
    if (decimal_integer(value.low, number)) low.count = static_cast<std::uint32_t>(number);
  };
  for (const SourcedValue& value : sourced_values(Config::from(*experiment.tree, {}, ignored)))
    for (std::uint32_t q = 0; q < most.size(); ++q) {
      const std::string key = most[q].key();
      open(value, key == "aic" ? "cube" : key == "aiv" ? "vector" : key, most[q], least[q]);
    }
  return {most, least};
}

void add_worker_counts(const Experiment& experiment, const std::string& routing,
                       const std::vector<std::string>& changes, std::vector<Condition>& conditions) {
  const WorkerKinds& own = experiment.hardware.workers;
  const auto add = [&](const WorkerKinds& workers, std::vector<std::string> all) {
    conditions.push_back({routing, workers, {routing, std::move(all)}});
  };
  add(own, changes);
  for (const WorkerKinds& other : open_counts(experiment)) {
    if (other == own) continue;
    std::vector<std::string> all = changes;
    std::ranges::move(changes_to_workers(experiment, other), std::back_inserter(all));
    add(other, std::move(all));
  }
}

// Runs both orders under a condition, fewer times than asked for if their difference is clear by then.
ConditionOutcome run_both(const Experiment& experiment, const Condition& condition, const OrderSpec& tried,
                          const OrderSpec& other, const DifferenceOptions& how) {
  ConditionOutcome outcome{condition.routing, condition.workers, {}, {}, {}, {}, 0};
  try {
    const Variation variation = other_order(tried);
    const DifferenceTable table =
        differences({with_order(condition.variation.of(experiment), other), nullptr}, {&variation, 1}, how);
    const Difference& row = table.rows.front();
    outcome.refused = row.refused;
    if (!row.ran()) return outcome;
    outcome.tried = row.outcome.total();
    outcome.other = table.base.total();
    outcome.difference = table.relative(row);
    outcome.runs = static_cast<std::uint32_t>(row.outcome.totals.size());
  } catch (const InputError& error) {
    outcome.refused = error.what();
  }
  return outcome;
}

// Returns "25/50".
std::string counts_text(const WorkerKinds& kinds) {
  std::vector<std::uint32_t> counts;
  for (const WorkerKind& kind : kinds) counts.push_back(kind.count);
  return fmt::format("{}", fmt::join(counts, "/"));
}

std::string condition_text(const ConditionOutcome& outcome) {
  return fmt::format("{} on {} ({:+.2f} %)", outcome.routing, counts_text(outcome.workers),
                     100 * outcome.difference.median);
}

// A single run of each has no noise.
std::string word_for(const MedianInterval& difference) {
  if (!difference.clear()) return difference.low == difference.high ? "as fast" : "noise";
  return difference.high < 0 ? "faster" : "slower";
}

}  // namespace

std::vector<Condition> conditions_of(const Experiment& experiment) {
  std::vector<Condition> conditions;
  const bool routed = experiment.shape.experts() > 0;
  add_worker_counts(experiment, routed ? name_of(experiment.routing) : "-", {}, conditions);
  if (!routed) return conditions;
  std::vector<RoutingSpec> routings{{}};
  for (const double skew : kSkews)
    routings.push_back({.kind = "sampled", .seed = kRoutingSeed, .skew = skew});
  for (const RoutingSpec& routing : routings) {
    if (name_of(routing) != name_of(experiment.routing))
      add_worker_counts(experiment, name_of(routing), changes_to(routing), conditions);
  }
  return conditions;
}

std::vector<ConditionOutcome> under_conditions(const Experiment& experiment, const Latencies& tried_here,
                                               const Latencies& other_here, const OrderSpec& tried,
                                               const OrderSpec& other, const DifferenceOptions& how,
                                               const ConditionsSink& seen) {
  std::vector<ConditionOutcome> outcomes;
  const std::vector<Condition> conditions = conditions_of(experiment);
  DifferenceOptions until_clear = how;
  until_clear.one_machine = true;
  until_clear.runs = RunsNeeded::kUntilClear;
  until_clear.runs_at_a_time = kFewestRuns;
  for (const Condition& condition : conditions) {
    if (outcomes.empty()) {
      outcomes.push_back({condition.routing,
                          condition.workers,
                          {},
                          median_of(tried_here),
                          median_of(other_here),
                          relative_difference(tried_here, other_here),
                          static_cast<std::uint32_t>(tried_here.size())});
    } else {
      outcomes.push_back(run_both(experiment, condition, tried, other, until_clear));
    }
    if (seen && outcomes.size() < conditions.size()) seen(outcomes);
  }
  return outcomes;
}

std::string where_it_turns(const std::string& tried, const std::string& other,
                           const std::vector<ConditionOutcome>& outcomes, std::uint32_t runs) {
  const MedianInterval& here = outcomes.front().difference;
  std::vector<std::string> faster, slower, unclear;
  std::size_t run = 0;
  for (const ConditionOutcome& outcome : outcomes) {
    if (&outcome == &outcomes.front() || !outcome.refused.empty()) continue;
    ++run;
    (!outcome.difference.clear()   ? unclear
     : outcome.difference.high < 0 ? faster
                                   : slower)
        .push_back(condition_text(outcome));
  }
  const auto part = [](const char* what, const std::vector<std::string>& where) {
    return where.empty() ? "" : fmt::format("; {} under {}", what, fmt::join(where, ", "));
  };
  std::string text;
  if (!here.clear()) {
    text = fmt::format("{} and {} {} as configured", tried, other,
                       here.low == here.high ? "take the same time" : "do not differ by more than noise") +
           part("faster", faster) + part("slower", slower);
  } else {
    const bool gains = here.high < 0;
    const std::vector<std::string>&holds = gains ? faster : slower, &turns = gains ? slower : faster;
    text = fmt::format("That {} is {} than {} holds under {} of {} other conditions", tried, word_for(here),
                       other, holds.size(), run) +
           part("it turns round", turns) + part(here.low == here.high ? "as fast" : "it is noise", unclear);
  }
  const auto shorter = std::ranges::count_if(outcomes, [&](const ConditionOutcome& outcome) {
    return outcome.refused.empty() && outcome.runs < runs;
  });
  if (shorter > 0)
    text +=
        fmt::format(". Under {} of these, {} of {} runs were enough: the difference is larger than its range",
                    shorter, kFewestRuns, runs);
  return text + ".\n";
}

void add_conditions(Report& report, const std::string& tried, const std::string& other,
                    const std::vector<ConditionOutcome>& outcomes, std::uint32_t runs) {
  std::vector<Column> columns{Column::words("routing")};
  for (const WorkerKind& kind : outcomes.front().workers)
    columns.push_back(Column::count(kind.name, kind.key()));
  for (Column& column : std::vector<Column>{
           Column::milliseconds(tried + " ms", "tried_ps"), Column::milliseconds(other + " ms", "other_ps"),
           Column::signed_percent("difference", "difference", 2), Column::words("95 %").for_people(),
           Column::data("difference_low"), Column::data("difference_high"),
           Column::words(tried + " is", "tried_is"), Column::data("refused")})
    columns.push_back(std::move(column));
  Table& table = report.table("conditions", std::move(columns));
  std::string refused;
  for (const ConditionOutcome& outcome : outcomes) {
    std::vector<Cell> cells{outcome.routing};
    for (const WorkerKind& kind : outcome.workers) cells.push_back(whole(kind.count));
    if (outcome.refused.empty()) {
      const MedianInterval& d = outcome.difference;
      cells.insert(cells.end(), {outcome.tried, outcome.other, d.median, interval_in_percent(d), d.low,
                                 d.high, word_for(d), Cell()});
    } else {
      cells.resize(table.columns().size());
      cells.back() = outcome.refused;
      refused += fmt::format("Does not fit {} on {}: {}\n", outcome.routing, counts_text(outcome.workers),
                             outcome.refused);
    }
    table.add(std::move(cells));
  }
  report.say_on(refused + where_it_turns(tried, other, outcomes, runs), "conditions_verdict");
}

}  // namespace a3sim
