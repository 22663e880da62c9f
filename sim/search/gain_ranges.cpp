#include "sim/search/gain_ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "sim/core/config/value.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/variation/parameter.h"

namespace a3sim {
namespace {

constexpr double kNoEffect = 5e-4;         // of the gain
constexpr std::ptrdiff_t kMostNamed = 3;   // of values that leave no gain only together
constexpr std::size_t kComparedAgain = 3;  // ends at which all starts run
constexpr std::size_t kTriedTogether =
    8;  // candidates that run at the ends of ranges before the next ones do

// Conditions under which a gain is measured: the settings of one run each. The gain is the least of theirs.
struct GainConditions {
  std::string name;
  std::vector<std::vector<std::string>> settings;
};

// Returns the configuration, or each of `over`, with all ranks, and then with the settings of a rung.
GainConditions conditions_of(const SearchProblem& problem, const SearchOptions& options,
                             const NamedSettings* rung) {
  GainConditions conditions{rung ? rung->name : "all ranks", {}};
  for (const NamedSettings& scenario : options.over) conditions.settings.push_back(scenario.settings);
  if (options.over.empty()) conditions.settings.emplace_back();
  for (std::vector<std::string>& settings : conditions.settings) {
    const std::vector<std::string> more = rung ? rung->settings : all_ranks(problem.experiment());
    settings.insert(settings.end(), more.begin(), more.end());
  }
  return conditions;
}

// Measures gains of an order over the best start, with further settings.
class GainMeter {
 public:
  GainMeter(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
            CandidateRuns& runs, const NamedOrder* order)
      : outcome_(outcome),
        runs_(runs),
        order_(order),
        conditions_(conditions_of(problem, options, nullptr)) {}

  // Lets the space's cheapest rung stand for all ranks if its runs of both orders are the same, to the picosecond.
  void take_rung_if_same(const SearchProblem& problem, const SearchOptions& options) {
    if (problem.space().rungs.empty()) return;
    GainConditions cheap = conditions_of(problem, options, &problem.space().rungs.front());
    const std::vector<Latencies> all = latencies();
    std::swap(conditions_, cheap);
    const std::vector<Latencies> some = latencies();
    if (all.empty() || all != some) std::swap(conditions_, cheap);
  }

  const std::string& condition() const { return conditions_.name; }

  // Returns the gain of the winner for each of the settings.
  std::vector<std::optional<double>> gains(const std::vector<std::vector<std::string>>& more) {
    const SearchStage stage = stage_with(more);
    return gains_over(stage, runs_.run_start(outcome_.reference, stage), winner_runs(stage));
  }

  // Does the same over the best of all starts.
  std::vector<std::optional<double>> gains_over_all(const SearchProblem& problem,
                                                    const std::vector<std::vector<std::string>>& more) {
    const SearchStage stage = stage_with(more);
    const std::vector<CandidateOutcome> winner = winner_runs(stage);
    std::vector<std::optional<double>> least(more.size());
    for (std::size_t start = 0; start < problem.starts().size(); ++start) {
      const auto gains = gains_over(stage, runs_.run_start(start, stage), winner);
      for (std::size_t i = 0; i < gains.size(); ++i)
        if (gains[i]) least[i] = std::min(least[i].value_or(*gains[i]), *gains[i]);
    }
    return least;
  }

  // Returns, for each of the candidates, its gains with each of the settings.
  std::vector<std::vector<std::optional<double>>> gains_of(
      std::span<const Candidate> candidates, const std::vector<std::vector<std::string>>& more) {
    const SearchStage stage = stage_with(more);
    const std::vector<CandidateOutcome> reference = runs_.run_start(outcome_.reference, stage);
    std::vector<std::vector<std::optional<double>>> gains;
    for (const std::vector<CandidateOutcome>& outcomes : runs_.run(candidates, stage))
      gains.push_back(gains_over(stage, reference, outcomes));
    return gains;
  }

 private:
  SearchStage stage_with(const std::vector<std::vector<std::string>>& more) const {
    SearchStage stage{conditions_.name, {}};
    for (const std::vector<std::string>& settings : more) {
      for (const std::vector<std::string>& condition : conditions_.settings) {
        SearchScenario& scenario = stage.scenarios.emplace_back(SearchScenario{conditions_.name, condition});
        scenario.settings.insert(scenario.settings.end(), settings.begin(), settings.end());
      }
    }
    return stage;
  }

  // Returns the latencies of the best start and the winner in each condition; none if one of them is refused.
  std::vector<Latencies> latencies() {
    const SearchStage stage = stage_with({{}});
    std::vector<Latencies> latencies;
    for (const std::vector<CandidateOutcome>& outcomes :
         {runs_.run_start(outcome_.reference, stage), winner_runs(stage)}) {
      for (const CandidateOutcome& outcome : outcomes) {
        if (!outcome.refused.empty()) return {};
        latencies.push_back(outcome.totals());
      }
    }
    return latencies;
  }

  std::vector<CandidateOutcome> winner_runs(const SearchStage& stage) {
    const Candidate& winner = outcome_.winner().candidate;
    return order_ ? runs_.run_orders(winner, std::span(order_, 1), stage).front()
                  : runs_.run(std::span(&winner, 1), stage).front();
  }

  std::vector<std::optional<double>> gains_over(const SearchStage& stage,
                                                const std::vector<CandidateOutcome>& reference,
                                                const std::vector<CandidateOutcome>& found) const {
    const std::size_t conditions = conditions_.settings.size();
    std::vector<std::optional<double>> gains(stage.scenarios.size() / conditions);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      double least = 1;
      bool ran = true;
      for (std::size_t run = i * conditions; run < (i + 1) * conditions && ran; ++run) {
        ran = found[run].refused.empty() && reference[run].refused.empty();
        if (ran)
          least = std::min(least, 1 - static_cast<double>(found[run].totals().front().count()) /
                                          static_cast<double>(reference[run].totals().front().count()));
      }
      if (ran) gains[i] = least;
    }
    return gains;
  }

  const SearchOutcome& outcome_;
  CandidateRuns& runs_;
  const NamedOrder* order_;
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

// Compares with all starts at the ends with the least gain.
void compare_again(const SearchProblem& problem, std::vector<RangedGain>& values, GainMeter& meter) {
  std::vector<std::pair<GainAtEnd*, std::vector<std::string>>> ends;
  for (RangedGain& value : values) {
    for (GainAtEnd* end : both_ends(value))
      if (end->gain) ends.emplace_back(end, std::vector{set_text(value.path, end->value)});
  }
  std::ranges::stable_sort(ends, {}, [](const auto& end) { return *end.first->gain; });
  ends.resize(std::min(ends.size(), kComparedAgain));
  std::vector<std::vector<std::string>> settings;
  for (const auto& [end, setting] : ends) settings.push_back(setting);
  const auto gains = meter.gains_over_all(problem, settings);
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (gains[i]) ends[i].first->gain = gains[i];
}

// Returns the values at those ends that lessen the gain.
std::vector<std::string> lessening(const GainRanges& ranges) {
  std::vector<std::string> settings;
  for (const RangedGain& value : ranges.values) {
    const double low = value.low.gain.value_or(ranges.as_stated),
                 high = value.high.gain.value_or(ranges.as_stated);
    if (std::min(low, high) < ranges.as_stated)
      settings.push_back(set_text(value.path, low < high ? value.low.value : value.high.value));
  }
  return settings;
}

std::vector<std::vector<std::string>> ends_without_gain(const GainRanges& ranges) {
  std::vector<std::vector<std::string>> ends;
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
                       const SearchOutcome& outcome, CandidateRuns& runs, const NamedOrder* order) {
  GainMeter meter(problem, options, outcome, runs, order);
  meter.take_rung_if_same(problem, options);
  const std::optional<double> as_stated = meter.gains({{}}).front();
  if (!as_stated) return {};
  GainRanges ranges;
  ranges.condition = meter.condition();
  ranges.as_stated = ranges.low = ranges.high = *as_stated;
  ranges.values = ranged_values(problem.experiment(), options.threads);
  std::vector<GainAtEnd*> ends;
  std::vector<std::vector<std::string>> settings;
  for (RangedGain& value : ranges.values) {
    for (GainAtEnd* end : both_ends(value)) {
      end->gain = ranges.as_stated;
      if (end->value == value.value) continue;
      ends.push_back(end);
      settings.push_back({set_text(value.path, end->value)});
    }
  }
  const std::vector<std::optional<double>> gains = meter.gains(settings);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i]->gain = gains[i];
  compare_again(problem, ranges.values, meter);
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
  ranges.together = meter.gains_over_all(problem, {lessening(ranges)}).front();
  return ranges;
}

std::optional<std::size_t> first_that_gains(const SearchProblem& problem, const SearchOptions& options,
                                            const SearchOutcome& outcome, CandidateRuns& runs,
                                            std::span<const GainRanges> of_left_out,
                                            std::span<const std::size_t> candidates) {
  GainMeter meter(problem, options, outcome, runs, nullptr);
  std::vector<std::vector<std::string>> ends;
  for (const GainRanges& ranges : of_left_out) {
    for (std::vector<std::string>& end : ends_without_gain(ranges))
      if (std::ranges::find(ends, end) == ends.end()) ends.push_back(std::move(end));
  }
  if (ends.empty()) return candidates.empty() ? std::nullopt : std::optional(candidates.front());
  for (std::size_t from = 0; from < candidates.size(); from += kTriedTogether) {
    std::vector<Candidate> some;
    for (std::size_t i = from; i < std::min(from + kTriedTogether, candidates.size()); ++i)
      some.push_back(outcome.candidates[candidates[i]].candidate);
    const auto gains = meter.gains_of(some, ends);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (std::ranges::all_of(gains[i], [](const auto& gain) { return gain && *gain >= kLeastGain; }))
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
