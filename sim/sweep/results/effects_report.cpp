#include "sim/sweep/results/effects_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/sweep/results/effects.h"

namespace a3sim {
namespace {

// A metric that varies by less is flat.
constexpr double kFlatMetric = 0.01;
// An interaction that explains less is not named.
constexpr double kLeastPair = 0.01;
// With fewer points, no axis can matter more than another.
constexpr std::size_t kFewestPoints = 3;

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

// Returns the name of an axis, with those that change with it value for value.
std::string factor_name(const Effects& effects, const FactorEffect& factor) {
  std::string name = effects.sweep.axes[factor.axis].name;
  for (const std::size_t twin : factor.twins) name += " and " + effects.sweep.axes[twin].name;
  return name;
}

// Says why no axis can be said to matter most; empty if one can.
std::string why_none(const Effects& effects, const std::string& unit) {
  if (effects.points.size() < kFewestPoints)
    return fmt::format("{} point{} are too few", effects.points.size(),
                       effects.points.size() == 1 ? "" : "s");
  const double largest = std::max(std::abs(effects.least), std::abs(effects.most));
  if (effects.most - effects.least <= kFlatMetric * largest)
    return fmt::format("flat: from {} to {} {}", significant(effects.least), significant(effects.most), unit);
  if (effects.factors.size() < 2) return "one axis alone varies";
  for (const FactorEffect& factor : effects.factors) {
    if (!factor.separable)
      return fmt::format("{} cannot be told from the other axes: they change together",
                         factor_name(effects, factor));
  }
  return effects.saturated ? "no more points than effects" : "";
}

std::string effects_text(const Effects& effects, const std::string& unit) {
  const FactorEffect& first = effects.factors.front();
  const ResultAxis& axis = effects.sweep.axes[first.axis];
  const auto low = std::ranges::min_element(first.levels), high = std::ranges::max_element(first.levels);
  const auto value = [&](auto level) {
    return axis.values[static_cast<std::size_t>(level - first.levels.begin())];
  };
  std::string text =
      fmt::format("{}, {} of the variance (mean {} {} at {}, {} at {})", factor_name(effects, first),
                  percent(first.share), significant(effects.mean + *low), unit, value(low),
                  significant(effects.mean + *high), value(high));
  for (std::size_t i = 1; i < effects.factors.size(); ++i) {
    text += fmt::format("{} {} {}", i == 1 ? "\n  then" : ",", factor_name(effects, effects.factors[i]),
                        percent(effects.factors[i].share));
  }
  text += fmt::format("; interactions {}", percent(effects.rest));
  if (effects.pair && effects.pair->share >= kLeastPair) {
    text += fmt::format(", {} of it {} with {}", percent(effects.pair->share / effects.rest),
                        effects.sweep.axes[effects.pair->first].name,
                        effects.sweep.axes[effects.pair->second].name);
  }
  return text;
}

void add_tables(const Effects& effects, Report& report) {
  report.fact("interactions_share", effects.rest);
  Table& shares =
      report.table("axes", {Column::words("axis"), Column::percent("share", "")}, Audience::kPrograms);
  Table& means = report.table(
      "values",
      {Column::words("axis"), Column::words("value"), Column::number("mean_minus_grand_mean", "", 3)},
      Audience::kPrograms);
  for (const FactorEffect& factor : effects.factors) {
    const std::string name = factor_name(effects, factor);
    shares.add({name, factor.share});
    for (std::size_t i = 0; i < factor.levels.size(); ++i)
      means.add({name, effects.sweep.axes[factor.axis].values[i], factor.levels[i]});
  }
}

// The same numbers for a reader, as the sentence has them.
void add_shown_tables(const Effects& effects, const std::string& unit, Report& report) {
  Table& shares = report.table(
      "", {Column::words("axis"), Column::words("of the variance"), Column::words("of the interactions")});
  for (const FactorEffect& factor : effects.factors)
    shares.add({factor_name(effects, factor), percent(factor.share), ""}, Audience::kPeople);
  shares.add({"interactions", percent(effects.rest), ""}, Audience::kPeople);
  if (effects.pair && effects.pair->share >= kLeastPair)
    shares.add({fmt::format("{} with {}", effects.sweep.axes[effects.pair->first].name,
                            effects.sweep.axes[effects.pair->second].name),
                percent(effects.pair->share), percent(effects.pair->share / effects.rest)},
               Audience::kPeople);
  Table& means = report.table("", {Column::words("axis"), Column::words("value"),
                                   Column::words(unit.empty() ? "mean" : "mean " + unit)});
  for (const FactorEffect& factor : effects.factors) {
    for (std::size_t i = 0; i < factor.levels.size(); ++i)
      means.add({factor_name(effects, factor), effects.sweep.axes[factor.axis].values[i],
                 significant(effects.mean + factor.levels[i])},
                Audience::kPeople);
  }
}

}  // namespace

void add_effects(const SweepResults& sweep, const std::string& pass, const std::string& metric,
                 Report& report, Audience tables) {
  const ResultMetric& chosen = sweep.metric(pass, metric);
  const Effects effects = effects_of(sweep, chosen);
  report.fact("metric", metric).fact("pass", pass);
  const std::string why = why_none(effects, chosen.unit);
  report.say(fmt::format("What matters most for {} of {}: {}\n", metric,
                         pass == "total" ? "all passes" : "pass " + pass,
                         why.empty() ? effects_text(effects, chosen.unit) : fmt::format("none ({})", why)));
  if (!why.empty())
    report.fact("none", why);
  else if (tables == Audience::kPrograms)
    add_tables(effects, report);
  else
    add_shown_tables(effects, chosen.unit, report);
}

}  // namespace a3sim
