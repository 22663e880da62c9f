#include "sim/study/explore/order_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "sim/core/statistics.h"
#include "sim/experiment/evaluate.h"
#include "sim/experiment/machine_part.h"
#include "sim/experiment/order_file.h"

namespace a3sim {
namespace {

constexpr double kSkews[] = {0.2, 0.4, 0.8};
constexpr std::uint64_t kRoutingSeed = 1;

constexpr std::pair<std::uint32_t, std::uint32_t> kPublished[] = {{25, 50}, {24, 48}};  // AIC, AIV

std::string name_of(const RoutingSpec& routing) {
  if (routing.kind != "sampled") return routing.kind;
  return fmt::format("skew {:.4g}", routing.skew);
}

Condition condition_of(const Experiment& experiment) {
  const bool routed = experiment.shape.experts() > 0;
  return {routed ? name_of(experiment.routing) : "-", experiment.hardware.workers, experiment};
}

void add_worker_counts(const Experiment& experiment, std::vector<Condition>& conditions) {
  conditions.push_back(condition_of(experiment));
  std::vector<WorkerKinds> published;
  for (const auto& [aic, aiv] : kPublished) published.push_back(aic_and_aiv(aic, aiv));
  const WorkerKinds& own = experiment.hardware.workers;
  if (std::ranges::find(published, own) == published.end()) return;
  for (const WorkerKinds& other : published) {
    if (other == own) continue;
    Hardware hardware = experiment.hardware;
    hardware.workers = other;
    conditions.push_back(condition_of(with_hardware(experiment, hardware)));
  }
}

// Returns whether the difference has one sign in all runs, and its smallest amount is larger than their range.
bool is_clear_by_far(const Latencies& a, const Latencies& b) {
  std::vector<double> differences;
  for (std::size_t run = 0; run < a.size(); ++run)
    differences.push_back(static_cast<double>((a[run] - b[run]).count()));
  const auto [low, high] = std::ranges::minmax(differences);
  return (low > 0 || high < 0) && std::min(std::abs(low), std::abs(high)) > high - low;
}

void append_runs(const std::vector<Evaluated>& more, std::vector<Evaluated>& done) {
  for (std::size_t v = 0; v < done.size(); ++v) {
    for (std::size_t p = 0; p < done[v].passes.size(); ++p)
      done[v].passes[p].insert(done[v].passes[p].end(), more[v].passes[p].begin(), more[v].passes[p].end());
  }
}

// Runs both orders, fewer times than asked for if their difference is clear by then.
std::vector<Evaluated> run_until_clear(const std::array<Variant, 2>& orders, const EvaluateOptions& how) {
  const std::uint32_t asked = how.jitter.draws();
  EvaluateOptions part = how;
  part.runs = kFewestRuns;
  std::vector<Evaluated> done = evaluate(orders, part);
  if (asked <= kFewestRuns) return done;
  if (is_clear_by_far(done[0].totals(), done[1].totals())) {
    // The progress line counts the runs that are left out.
    Progress("simulations").step((asked - kFewestRuns) * EqualPasses(orders).to_run().size());
    return done;
  }
  part.first_run = kFewestRuns;
  part.runs = asked - kFewestRuns;
  append_runs(evaluate(orders, part), done);
  return done;
}

// Returns the latencies of both orders by run, or why one of them does not fit.
ConditionOutcome run_both(const Condition& condition, const OrderSpec& tried, const OrderSpec& other,
                          const EvaluateOptions& how) {
  ConditionOutcome outcome{condition.routing, condition.workers, {}, {}, {}, {}, 0};
  std::array<Variant, 2> orders{Variant{with_order(condition.experiment, tried), nullptr},
                                Variant{with_order(condition.experiment, other), nullptr}};
  try {
    prepare(orders, how.threads);
  } catch (const InputError& error) {
    outcome.refused = error.what();
    return outcome;
  }
  const std::vector<Evaluated> done = run_until_clear(orders, how);
  const Latencies of_tried = done[0].totals(), of_other = done[1].totals();
  outcome.tried = median_of(of_tried);
  outcome.other = median_of(of_other);
  outcome.difference = relative_difference(of_tried, of_other);
  outcome.runs = static_cast<std::uint32_t>(of_tried.size());
  return outcome;
}

// Returns "25/50".
std::string counts_of(const WorkerKinds& kinds) {
  std::vector<std::uint32_t> counts;
  for (const WorkerKind& kind : kinds) counts.push_back(kind.count);
  return fmt::format("{}", fmt::join(counts, "/"));
}

std::string text_of(const ConditionOutcome& outcome) {
  return fmt::format("{} on {} ({:+.2f} %)", outcome.routing, counts_of(outcome.workers),
                     100 * outcome.difference.median);
}

std::string word_for(const MedianInterval& difference) {
  if (!difference.clear()) return "noise";
  return difference.high < 0 ? "faster" : "slower";
}

}  // namespace

std::vector<Condition> conditions_of(const Experiment& experiment) {
  std::vector<Condition> conditions;
  add_worker_counts(experiment, conditions);
  if (experiment.shape.experts() == 0) return conditions;
  std::vector<RoutingSpec> routings{{}};
  for (const double skew : kSkews)
    routings.push_back({.kind = "sampled", .seed = kRoutingSeed, .skew = skew});
  for (const RoutingSpec& routing : routings) {
    if (name_of(routing) == name_of(experiment.routing)) continue;
    Experiment other = experiment;
    other.routing = routing;
    add_worker_counts(other, conditions);
  }
  return conditions;
}

std::vector<ConditionOutcome> under_conditions(const Experiment& experiment, const Latencies& tried_here,
                                               const Latencies& other_here, const OrderSpec& tried,
                                               const OrderSpec& other, const EvaluateOptions& how,
                                               const SeenConditions& seen) {
  std::vector<ConditionOutcome> outcomes;
  const std::vector<Condition> conditions = conditions_of(experiment);
  EvaluateOptions on_one_machine = how;
  on_one_machine.one_machine = true;
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
      outcomes.push_back(run_both(condition, tried, other, on_one_machine));
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
        .push_back(text_of(outcome));
  }
  const auto part = [](const char* what, const std::vector<std::string>& where) {
    return where.empty() ? "" : fmt::format("; {} under {}", what, fmt::join(where, ", "));
  };
  std::string text;
  if (!here.clear()) {
    text = fmt::format("{} and {} are not told apart as configured", tried, other) + part("faster", faster) +
           part("slower", slower);
  } else {
    const bool gains = here.high < 0;
    const std::vector<std::string>&holds = gains ? faster : slower, &turns = gains ? slower : faster;
    text = fmt::format("That {} is {} than {} holds under {} of {} other conditions", tried, word_for(here),
                       other, holds.size(), run) +
           part("it turns round", turns) + part("it is noise", unclear);
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
      refused += fmt::format("Does not fit {} on {}: {}\n", outcome.routing, counts_of(outcome.workers),
                             outcome.refused);
    }
    table.add(std::move(cells));
  }
  report.say_on(refused + where_it_turns(tried, other, outcomes, runs), "conditions_verdict");
}

}  // namespace a3sim
