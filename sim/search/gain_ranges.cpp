#include "sim/search/gain_ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>

#include "sim/core/config/value.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/config/order_file.h"
#include "sim/variation/difference_table.h"
#include "sim/variation/parameter.h"

namespace a3sim {
namespace {

constexpr double kNoEffect = 5e-4;         // of the gain
constexpr std::ptrdiff_t kMostNamed = 3;   // of values that leave no gain only together
constexpr std::size_t kComparedAgain = 3;  // ends at which all starts run
constexpr std::size_t kTriedTogether =
    8;  // candidates that run at the ends of ranges before the next ones do

// Values that differ from the files, as `--set` takes them.
using Values = std::vector<std::string>;
using Gains = std::vector<std::optional<double>>;

// Conditions under which a gain is measured: the settings of one run each. The gain is the least of theirs.
struct GainConditions {
  std::string name;
  std::vector<Values> settings;
};

// Returns the configuration, or each of `over`, with all ranks, and then with the settings of a rung.
GainConditions conditions_of(const SearchProblem& problem, const SearchOptions& options,
                             const NamedSettings* rung) {
  GainConditions conditions{rung ? rung->name : "all ranks", {}};
  for (const NamedSettings& scenario : options.over) conditions.settings.push_back(scenario.settings);
  if (options.over.empty()) conditions.settings.emplace_back();
  for (Values& settings : conditions.settings) {
    const Values more = rung ? rung->settings : all_ranks(problem.experiment());
    settings.insert(settings.end(), more.begin(), more.end());
  }
  return conditions;
}

// Makes one side of a comparison, a start or a candidate, in a scenario.
struct Made {
  std::function<Experiment(const SearchScenario&)> make;
  std::string start{};  // its number; empty for a candidate
};

// Compares orders as variations of the configuration, each at each of the ends that are asked for, in all conditions.
class GainTable {
 public:
  GainTable(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
            const CandidateRuns& runs, StartTimes& known)
      : problem_(problem),
        options_(options),
        outcome_(outcome),
        runs_(runs),
        known_(known),
        conditions_(conditions_of(problem, options, nullptr)) {}

  const std::string& condition() const { return conditions_.name; }

  Made start(std::size_t number) const {
    return {
        [this, number](const SearchScenario& scenario) { return runs_.start_experiment(number, scenario); },
        std::to_string(number)};
  }
  // Returns a start with the winner's settings.
  Made with_settings(std::size_t number) const {
    const Values own = problem_.settings(outcome_.winner().candidate);
    return {[this, number, own](SearchScenario scenario) {
              scenario.settings.insert(scenario.settings.end(), own.begin(), own.end());
              return runs_.start_experiment(number, scenario);
            },
            fmt::format("{} with {}", number, fmt::join(own, " "))};
  }
  Made reference() const { return start(outcome_.reference); }
  // Returns a candidate, or another order with its settings.
  Made candidate(const Candidate& candidate, const NamedOrder* order = nullptr) const {
    return {[this, &candidate, order](const SearchScenario& scenario) {
      Experiment made = runs_.experiment(candidate, scenario);
      return order ? with_order(made, order->order) : made;
    }};
  }

  // Lets the space's cheapest rung stand for all ranks if both are the same there, to the picosecond.
  void take_rung_if_same(const Made& reference, const Made& order) {
    if (problem_.space().rungs.empty()) return;
    GainConditions cheap = conditions_of(problem_, options_, &problem_.space().rungs.front());
    const std::vector<Duration> all = times({reference, order}, {{}});
    std::swap(conditions_, cheap);
    if (std::ranges::count(all, kNone) > 0 || times({reference, order}, {{}}) != all)
      std::swap(conditions_, cheap);
  }

  // Returns the gains of each of the orders over each of the references: by order, then reference, then end.
  std::vector<std::vector<Gains>> gains(const std::vector<Made>& orders, const std::vector<Made>& references,
                                        const std::vector<Values>& ends) const {
    std::vector<Made> all = references;
    all.insert(all.end(), orders.begin(), orders.end());
    const std::vector<Duration> known = times(all, ends);
    const std::size_t each = ends.size() * conditions_.settings.size();
    const std::span<const Duration> of(known);
    std::vector<std::vector<Gains>> gains(orders.size());
    for (std::size_t o = 0; o < orders.size(); ++o)
      for (std::size_t r = 0; r < references.size(); ++r)
        gains[o].push_back(
            least_gains(of.subspan(r * each, each), of.subspan((references.size() + o) * each, each)));
    return gains;
  }

 private:
  static constexpr Duration kNone = Duration::max();

  // Returns the time of each at each end in each condition; kNone if it does not run.
  std::vector<Duration> times(const std::vector<Made>& all, const std::vector<Values>& ends) const {
    std::vector<Duration> times;
    std::vector<Variation> variations;
    std::vector<std::pair<std::size_t, std::string>>
        runs;  // which time each variation is of, and a start's text
    for (const Made& made : all) {
      for (const Values& end : ends) {
        for (const Values& condition : conditions_.settings) {
          SearchScenario scenario{conditions_.name, condition};
          scenario.settings.insert(scenario.settings.end(), end.begin(), end.end());
          const std::string text =
              made.start.empty() ? "" : fmt::format("{}\n{}", made.start, fmt::join(scenario.settings, "\n"));
          const auto known = known_.find(text);
          times.push_back(known == known_.end() ? kNone : known->second);
          if (known != known_.end()) continue;
          runs.emplace_back(times.size() - 1, text);
          variations.push_back(
              {conditions_.name, {}, [&made, scenario](const Experiment&) { return made.make(scenario); }});
        }
      }
    }
    const DifferenceTable table =
        outcomes(problem_.experiment(), variations,
                 {.jitter = JitterOptions::none(), .threads = options_.threads, .hold = false});
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& [time, text] = runs[i];
      if (table.rows[i].ran()) times[time] = table.rows[i].outcome.total();
      if (!text.empty()) known_[text] = times[time];
    }
    return times;
  }

  // Returns the least gain over all conditions, by end.
  Gains least_gains(std::span<const Duration> reference, std::span<const Duration> order) const {
    const std::size_t conditions = conditions_.settings.size();
    Gains gains(order.size() / conditions);
    for (std::size_t run = 0; run < order.size(); ++run) {
      std::optional<double>& gain = gains[run / conditions];
      if (run % conditions == 0) gain = 1;
      if (order[run] == kNone || reference[run] == kNone) gain.reset();
      if (gain)
        gain = std::min(
            *gain, 1 - static_cast<double>(order[run].count()) / static_cast<double>(reference[run].count()));
    }
    return gains;
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const SearchOutcome& outcome_;
  const CandidateRuns& runs_;
  StartTimes& known_;
  GainConditions conditions_;
};

// Returns what a value's file says of how to measure it.
std::string measure_of(const ConfigValue& tree, const std::string& path) {
  const ConfigValue* value = &tree;
  std::istringstream keys(path + ".measure");
  for (std::string key; std::getline(keys, key, '.');) {
    const ConfigValue::Entry* const entry = value->find(key);
    if (entry == nullptr) return {};
    value = entry->value.get();
  }
  return value->text;
}

// Returns the values with ranges, without gains.
std::vector<RangedGain> ranged_values(const Experiment& experiment, unsigned threads) {
  const std::vector<Parameter> parameters = ranged_parameters(experiment);
  std::vector<RangedGain> values(parameters.size());
  in_parallel(parameters.size(), threads, [&](std::size_t i) {
    const SourcedValue& stated = parameters[i].stated();
    const RangeEnds ends = ends_of(parameters[i], experiment);
    values[i] = {stated.path,
                 stated.value,
                 fmt::format("{} to {}", stated.low, stated.high),
                 stated.source,
                 measure_of(*experiment.tree, stated.path),
                 {ends.low, std::nullopt},
                 {ends.high, std::nullopt}};
  });
  return values;
}

std::array<GainAtEnd*, 2> both_ends(RangedGain& value) { return {&value.low, &value.high}; }

// Returns the least gains over any of the references.
Gains gains_over(const std::vector<Made>& references, const GainTable& table, const Made& order,
                 const std::vector<Values>& ends) {
  const std::vector<std::vector<Gains>> by_start = table.gains({order}, references, ends);
  Gains least(ends.size());
  for (const Gains& gains : by_start.front())
    for (std::size_t i = 0; i < gains.size(); ++i)
      if (gains[i]) least[i] = std::min(least[i].value_or(*gains[i]), *gains[i]);
  return least;
}

// Compares with all starts at the ends with the least gain.
void compare_again(const std::vector<Made>& starts, std::vector<RangedGain>& values, const GainTable& table,
                   const Made& order) {
  std::vector<std::pair<GainAtEnd*, Values>> ends;
  for (RangedGain& value : values) {
    for (GainAtEnd* end : both_ends(value))
      if (end->gain) ends.emplace_back(end, Values{set_text(value.path, end->value)});
  }
  std::ranges::stable_sort(ends, {}, [](const auto& end) { return *end.first->gain; });
  ends.resize(std::min(ends.size(), kComparedAgain));
  std::vector<Values> settings;
  for (const auto& [end, setting] : ends) settings.push_back(setting);
  const Gains gains = gains_over(starts, table, order, settings);
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (gains[i]) ends[i].first->gain = gains[i];
}

// Returns the values at those ends that lessen the gain.
Values lessening(const GainRanges& ranges) {
  Values settings;
  for (const RangedGain& value : ranges.values) {
    const double low = value.low.gain.value_or(ranges.as_stated),
                 high = value.high.gain.value_or(ranges.as_stated);
    if (std::min(low, high) < ranges.as_stated)
      settings.push_back(set_text(value.path, low < high ? value.low.value : value.high.value));
  }
  return settings;
}

std::vector<Values> ends_without_gain(const GainRanges& ranges) {
  std::vector<Values> ends;
  for (const RangedGain& value : ranges.values) {
    for (const GainAtEnd* end : {&value.low, &value.high})
      if (end->gain && *end->gain < kLeastGain) ends.push_back({set_text(value.path, end->value)});
  }
  return ends;
}

}  // namespace

double RangedGain::least(double otherwise) const {
  return std::min({otherwise, low.gain.value_or(otherwise), high.gain.value_or(otherwise)});
}

double RangedGain::most(double otherwise) const {
  return std::max({otherwise, low.gain.value_or(otherwise), high.gain.value_or(otherwise)});
}

std::vector<RangedGain> GainRanges::rests_on() const {
  std::vector<RangedGain> on;
  for (const RangedGain& value : values)
    if (value.least(as_stated) < kLeastGain) on.push_back(value);
  if (!on.empty()) return on;
  on.assign(values.begin(), values.begin() + std::min(kMostNamed, std::ssize(values)));
  return on;
}

GainRanges gain_ranges(const SearchProblem& problem, const SearchOptions& options,
                       const SearchOutcome& outcome, const CandidateRuns& runs, StartTimes& known,
                       const NamedOrder* order, std::optional<std::size_t> same_settings) {
  GainTable table(problem, options, outcome, runs, known);
  const Made found = table.candidate(outcome.winner().candidate, order);
  table.take_rung_if_same(table.reference(), found);
  std::vector<Made> references{table.reference()}, starts;
  if (same_settings) references.push_back(table.with_settings(*same_settings));
  for (std::size_t start = 0; start < problem.starts().size(); ++start) {
    starts.push_back(table.start(start));
    if (same_settings) starts.push_back(table.with_settings(start));
  }
  GainRanges ranges;
  ranges.condition = table.condition();
  ranges.values = ranged_values(problem.experiment(), options.threads);
  std::vector<GainAtEnd*> ends;
  std::vector<Values> settings{{}};  // as stated, then the ends
  for (RangedGain& value : ranges.values) {
    for (GainAtEnd* end : both_ends(value)) {
      if (end->value == value.value) continue;
      ends.push_back(end);
      settings.push_back({set_text(value.path, end->value)});
    }
  }
  const Gains gains = gains_over(references, table, found, settings);
  if (!gains.front()) return {};
  ranges.as_stated = ranges.low = ranges.high = *gains.front();
  for (RangedGain& value : ranges.values) value.low.gain = value.high.gain = ranges.as_stated;
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i]->gain = gains[i + 1];
  compare_again(starts, ranges.values, table, found);
  const auto moved = [&](const RangedGain& value) {
    return value.most(ranges.as_stated) - value.least(ranges.as_stated);
  };
  ranges.without_effect = static_cast<std::size_t>(
      std::erase_if(ranges.values, [&](const RangedGain& value) { return moved(value) < kNoEffect; }));
  std::ranges::stable_sort(ranges.values, {}, [&](const RangedGain& value) {
    return std::pair(value.least(ranges.as_stated), -moved(value));
  });
  for (const RangedGain& value : ranges.values) {
    ranges.low = std::min(ranges.low, value.least(ranges.as_stated));
    ranges.high = std::max(ranges.high, value.most(ranges.as_stated));
  }
  ranges.together = gains_over(starts, table, found, {lessening(ranges)}).front();
  return ranges;
}

std::optional<std::size_t> first_that_gains(const SearchProblem& problem, const SearchOptions& options,
                                            const SearchOutcome& outcome, const CandidateRuns& runs,
                                            std::span<const GainRanges> of_left_out,
                                            std::span<const std::size_t> candidates) {
  StartTimes known;
  const GainTable table(problem, options, outcome, runs, known);
  std::vector<Values> ends;
  for (const GainRanges& ranges : of_left_out) {
    for (Values& end : ends_without_gain(ranges))
      if (std::ranges::find(ends, end) == ends.end()) ends.push_back(std::move(end));
  }
  if (ends.empty()) return candidates.empty() ? std::nullopt : std::optional(candidates.front());
  for (std::size_t from = 0; from < candidates.size(); from += kTriedTogether) {
    std::vector<Made> some;
    for (std::size_t i = from; i < std::min(from + kTriedTogether, candidates.size()); ++i)
      some.push_back(table.candidate(outcome.candidates[candidates[i]].candidate));
    const auto gains = table.gains(some, {table.reference()}, ends);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (std::ranges::all_of(gains[i].front(), [](const auto& gain) { return gain && *gain >= kLeastGain; }))
        return candidates[from + i];
    }
  }
  return std::nullopt;
}

std::string names_of_values(std::span<const RangedGain> values) {
  std::vector<std::string> names;
  for (const RangedGain& value : values)
    names.push_back(fmt::format("{} ({}, known within {})", value.path, value.value, value.range));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string how_to_measure(std::span<const RangedGain> values) {
  std::vector<std::string> ways;
  for (const RangedGain& value : values)
    if (!value.measure.empty() && std::ranges::count(ways, value.measure) == 0) ways.push_back(value.measure);
  return ways.empty() ? "no microbenchmark is named" : fmt::format("{}", fmt::join(ways, "; "));
}

}  // namespace a3sim
