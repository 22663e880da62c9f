#include "sim/study/search/gain_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/study/calibration/predictor.h"
#include "sim/study/calibration/sensitivity.h"

namespace a3sim {
namespace {

constexpr double kNoEffect = 5e-4;         // of the gain
constexpr std::size_t kComparedAgain = 3;  // ends at which all starts run
constexpr std::size_t kOthersTried = 16;

std::string set_text(const std::string& path, const std::string& value) { return path + '=' + value; }

// Conditions under which a gain is measured: the settings of one run each. The gain is the least of theirs.
struct GainConditions {
  std::string name;
  std::vector<std::vector<std::string>> settings;
};

GainConditions conditions_at(const SearchStage& rung, const SearchOptions& options) {
  const std::vector<std::string>& cheap = rung.scenarios.front().settings;
  GainConditions conditions{rung.name, {}};
  for (const NamedSettings& scenario : options.over) {
    conditions.settings.push_back(scenario.settings);
    conditions.settings.back().insert(conditions.settings.back().end(), cheap.begin(), cheap.end());
  }
  if (options.over.empty()) conditions.settings.push_back(cheap);
  return conditions;
}

// Measures gains of an order over the best start, with further settings.
class GainMeter {
 public:
  GainMeter(const SearchOutcome& outcome, CandidateRuns& runs, const NamedOrder* order)
      : outcome_(outcome), runs_(runs), order_(order) {}

  // Chooses the cheapest conditions in which both can run. Returns false if there are none.
  bool choose_conditions(const SearchOptions& options) {
    for (const SearchStage& stage : outcome_.ladder) {
      conditions_ = conditions_at(stage, options);
      const std::optional<double> gain = gains({{}}).front();
      if (!gain) continue;
      as_stated_ = *gain;
      return true;
    }
    return false;
  }

  const std::string& condition() const { return conditions_.name; }
  double as_stated() const { return as_stated_; }

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
  double as_stated_ = 0;
};

// Returns an end of a value's range, or the last value before it that the configuration's reader accepts.
std::string range_end(const Parameter& parameter, bool high, const Experiment& experiment) {
  const auto takes = [&](std::span<const double> position) {
    const std::string setting = set_text(parameter.path(), parameter.at(position.front()));
    try {
      (void)experiment.with(std::span(&setting, 1));
    } catch (const InputError&) {
      return false;
    }
    return true;
  };
  const double from[] = {parameter.nominal()};
  const double to = high ? 1 : 0;
  const double end = last_admissible(from, {to}, takes).front();
  if (end == to) return high ? parameter.stated().high : parameter.stated().low;
  return parameter.at(end);
}

// Returns the values with ranges, without gains.
std::vector<RangedGain> ranged_values(const Experiment& experiment, unsigned threads) {
  const std::vector<Parameter> parameters = ranged_parameters(experiment);
  std::vector<RangedGain> values(parameters.size());
  in_parallel(parameters.size(), threads, [&](std::size_t i) {
    const SourcedValue& stated = parameters[i].stated();
    values[i] = {stated.path,
                 stated.value,
                 stated.source,
                 {range_end(parameters[i], false, experiment), std::nullopt},
                 {range_end(parameters[i], true, experiment), std::nullopt}};
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
      if (end->gain && *end->gain <= 0) ends.push_back({set_text(value.path, end->value)});
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

GainRanges gain_ranges(const SearchProblem& problem, const SearchOptions& options,
                       const SearchOutcome& outcome, CandidateRuns& runs, const NamedOrder* order) {
  GainMeter meter(outcome, runs, order);
  if (!meter.choose_conditions(options)) return {};
  GainRanges ranges;
  ranges.condition = meter.condition();
  ranges.as_stated = ranges.low = ranges.high = meter.as_stated();
  ranges.values = ranged_values(problem.experiment(), options.threads);
  std::vector<std::vector<std::string>> settings;
  for (const RangedGain& value : ranges.values) {
    settings.push_back({set_text(value.path, value.low.value)});
    settings.push_back({set_text(value.path, value.high.value)});
  }
  const std::vector<std::optional<double>> gains = meter.gains(settings);
  for (std::size_t i = 0; i < ranges.values.size(); ++i) {
    ranges.values[i].low.gain = gains[2 * i];
    ranges.values[i].high.gain = gains[2 * i + 1];
  }
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
  ranges.together = meter.gains({lessening(ranges)}).front();
  return ranges;
}

std::optional<std::size_t> best_that_holds(const SearchOptions& options, const SearchOutcome& outcome,
                                           std::span<const GainRanges> of_left_out,
                                           const std::set<std::size_t>& left_out, CandidateRuns& runs) {
  GainMeter meter(outcome, runs, nullptr);
  std::vector<std::vector<std::string>> ends;
  for (const GainRanges& ranges : of_left_out) {
    for (std::vector<std::string>& end : ends_without_gain(ranges))
      if (std::ranges::find(ends, end) == ends.end()) ends.push_back(std::move(end));
  }
  if (ends.empty() || !meter.choose_conditions(options)) return std::nullopt;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < outcome.candidates.size(); ++i) {
    const ScoredCandidate& candidate = outcome.candidates[i];
    if (!left_out.contains(i) && candidate.number > 0 && candidate.finished() && *candidate.scores.back() < 1)
      others.push_back(i);
  }
  std::ranges::stable_sort(others, {}, [&](std::size_t i) { return *outcome.candidates[i].scores.back(); });
  // The best of each score, since equal ones are mostly the same order but for what does not matter.
  const auto [first, last] =
      std::ranges::unique(others, {}, [&](std::size_t i) { return *outcome.candidates[i].scores.back(); });
  others.erase(first, last);
  std::vector<Candidate> candidates;
  for (const std::size_t i : others) candidates.push_back(outcome.candidates[i].candidate);
  for (std::size_t from = 0; from < candidates.size(); from += kOthersTried) {
    const auto some = std::span<const Candidate>(candidates)
                          .subspan(from, std::min(kOthersTried, candidates.size() - from));
    const auto gains = meter.gains_of(some, ends);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (std::ranges::all_of(gains[i], [](const auto& gain) { return gain && *gain > 0; }))
        return others[from + i];
    }
  }
  return std::nullopt;
}

std::string weakest_end(const GainRanges& ranges) {
  const RangedGain& value = ranges.values.front();
  const bool low = value.low.gain.value_or(1) <= value.high.gain.value_or(1);
  const GainAtEnd& end = low ? value.low : value.high;
  return fmt::format("{} ({}) at {}: {:+.2f} %", value.path, value.value, end.value,
                     100 * end.gain.value_or(ranges.as_stated));
}

}  // namespace a3sim
