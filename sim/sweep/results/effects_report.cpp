#include "sim/sweep/results/effects_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/sweep/results/effects.h"

namespace a3sim {
namespace {

// Axes whose changes are so near each other matter alike.
constexpr double kAlike = 0.9;

// Returns the name of an axis, with those that change with it value for value.
std::string axis_name(const SweepResults& sweep, const AxisEffect& effect) {
  std::string name = sweep.axes[effect.axis].name;
  for (const std::size_t twin : effect.twins) name += "/" + sweep.axes[twin].name;
  return name;
}

// "a factor of 8.1", "32 %", "0.2 ms"
std::string change_text(const Effects& effects, double change, const std::string& unit) {
  if (!effects.ratios) return unit.empty() ? significant(change) : significant(change) + " " + unit;
  return change >= 1 ? fmt::format("a factor of {:.3g}", 1 + change) : fmt::format("{:.3g} %", 100 * change);
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// Says what the sentence cannot: too few points, or none that can be compared; empty if it can.
std::string why_no_axis(const Effects& effects, const std::string& unit) {
  if (effects.points < 2) return effects.points == 1 ? "1 point is too few" : "no point has it";
  if (effects.axes.empty() || effects.axes.front().comparisons == 0)
    return "no two points differ on one axis alone";
  if (effects.matters(effects.axes.front())) return {};
  const std::string range = fmt::format("from {} to {}{}{}", significant(effects.smallest),
                                        significant(effects.largest), unit.empty() ? "" : " ", unit);
  return effects.noise > 0 && effects.axes.front().change <= effects.noise
             ? fmt::format("no axis changes it by more than another seed does, {}", range)
             : fmt::format("flat along every axis: {}", range);
}

// "a factor of 3.5 to 4.1 in 6 comparisons"
std::string range_text(const Effects& effects, const AxisEffect& effect, const std::string& unit) {
  const std::string least = change_text(effects, effect.least, unit),
                    most = change_text(effects, effect.most, unit);
  if (least == most) return fmt::format("in each of {} comparisons", effect.comparisons);
  if (effects.ratios && effect.least >= 1)
    return fmt::format("{} to {:.3g} in {} comparisons", least, 1 + effect.most, effect.comparisons);
  return fmt::format("{} to {} in {} comparisons", least, most, effect.comparisons);
}

// The same, and where the metric is smallest and largest.
std::string details(const SweepResults& sweep, const Effects& effects, const AxisEffect& effect,
                    const std::string& unit) {
  std::vector<std::string> parts;
  if (effect.comparisons > 1) parts.push_back(range_text(effects, effect, unit));
  if (!effect.smallest_at.empty() && !effect.largest_at.empty())
    parts.push_back(fmt::format("smallest at {0}={1}, largest at {0}={2}", sweep.axes[effect.axis].name,
                                effect.smallest_at, effect.largest_at));
  if (!effect.complete) parts.emplace_back("never with all of its values");
  return joined(parts, "; ");
}

std::string effects_text(const SweepResults& sweep, const Effects& effects, const std::string& unit) {
  const AxisEffect& first = effects.axes.front();
  std::vector<std::string> alike, others, flat, alone;
  for (const AxisEffect& effect : effects.axes) {
    const std::string name = axis_name(sweep, effect);
    if (effect.comparisons == 0)
      alone.push_back(name);
    else if (!effects.matters(effect))
      flat.push_back(name);
    else if (effect.change >= kAlike * first.change)
      alike.push_back(alike.empty() && effects.axes.size() == 1
                          ? fmt::format("{}, the only axis that varies: {}", name,
                                        change_text(effects, effect.change, unit))
                          : fmt::format("{} ({})", name, change_text(effects, effect.change, unit)));
    else
      others.push_back(fmt::format("{} {}", name, change_text(effects, effect.change, unit)));
  }
  std::string text = joined(alike, " and ") + (alike.size() > 1 ? " alike" : "") + " with all else equal";
  if (alike.size() == 1) {
    const std::string more = details(sweep, effects, first, unit);
    if (!more.empty()) text += ": " + more;
  }
  if (!others.empty()) text += "\n  then " + joined(others, ", ");
  if (!flat.empty())
    text += fmt::format("\n  {}: {}", effects.noise > 0 ? "below 1 % or another seed" : "below 1 %",
                        joined(flat, ", "));
  if (!alone.empty())
    text += fmt::format("\n  not compared, as no two points differ there alone: {}", joined(alone, ", "));
  return text;
}

void add_table(const SweepResults& sweep, const Effects& effects, const std::string& unit, Audience tables,
               Report& report) {
  // A page shows what a terminal has in words alone.
  const bool shown = tables != Audience::kPrograms;
  const std::string in = effects.ratios || unit.empty() ? "" : " " + unit;
  const auto change = [&](const char* head, const char* key) {
    return effects.ratios ? Column::percent(head, key) : Column::number(head + in, key, 3);
  };
  Table& table =
      report.table(shown ? "" : "axes",
                   {Column::words("axis"), change("change, all else equal", "change"),
                    change("least", "least"), change("most", "most"), Column::count("comparisons"),
                    Column::words("smallest at", "smallest_at"), Column::words("largest at", "largest_at")},
                   tables);
  for (const AxisEffect& effect : effects.axes) {
    const auto cell = [&](double value) { return effect.comparisons > 0 ? Cell(value) : Cell(); };
    table.add({axis_name(sweep, effect), cell(effect.change), cell(effect.least), cell(effect.most),
               static_cast<std::int64_t>(effect.comparisons), effect.smallest_at, effect.largest_at});
  }
}

}  // namespace

AxesThatMatter axes_that_matter(const SweepResults& sweep, const std::string& pass,
                                const std::string& metric) {
  const ResultMetric& chosen = sweep.metric(pass, metric);
  AxesThatMatter result{effects_of(sweep, chosen), {}, {}};
  const Effects& effects = result.effects;
  result.none = why_no_axis(effects, chosen.unit);
  result.text = fmt::format(
      "What matters most for {} of {}: {}; {} of {} points{}", metric,
      pass == "total" ? "all passes" : "pass " + pass,
      result.none.empty() ? effects_text(sweep, effects, chosen.unit) : fmt::format("none ({})", result.none),
      effects.points, effects.of, effects.points < effects.of ? ", the missing ones may change this" : "");
  return result;
}

void add_effects(const SweepResults& sweep, const std::string& pass, const std::string& metric,
                 Report& report, Audience tables) {
  const AxesThatMatter axes = axes_that_matter(sweep, pass, metric);
  report.fact("metric", metric).fact("pass", pass);
  report.fact("points", whole(axes.effects.points)).fact("of_points", whole(axes.effects.of));
  report.say(axes.text + "\n");
  if (!axes.none.empty()) report.fact("none", axes.none);
  if (!axes.effects.axes.empty())
    add_table(sweep, axes.effects, sweep.metric(pass, metric).unit, tables, report);
}

}  // namespace a3sim
