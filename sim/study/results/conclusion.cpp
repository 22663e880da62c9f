#include "sim/study/results/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/study/results/axis_numbers.h"
#include "sim/study/results/curve_shape.h"
#include "sim/study/results/effects.h"

namespace a3sim {
namespace {

// Fewer points than this have neither a shape nor effects that could be otherwise.
constexpr std::size_t kFewestPoints = 3;
// As for curves: a metric that changes by less is flat.
constexpr double kFlatMetric = 0.01;
// An interaction that explains less is not worth its name.
constexpr double kLeastPair = 0.01;
// A value of the axis this near to a knee or optimum lies on it, and is of neither side.
constexpr double kOnIt = 0.02;

constexpr std::string_view kBlame = "blame.";

struct Binding {
  std::string name;
  double share = 0;
};

// The largest part of the critical path over the points that `of` takes; empty where nothing is known of it.
template <class Of>
Binding binding_of(const SweepResults& sweep, const std::string& pass, Of of) {
  Binding most;
  double all = 0;
  for (const ResultMetric& metric : sweep.metrics) {
    if (metric.pass != pass || !metric.name.starts_with(kBlame)) continue;
    double sum = 0;
    for (std::size_t i = 0; i < metric.values.size(); ++i) {
      if (of(i) && std::isfinite(metric.values[i])) sum += metric.values[i];
    }
    all += sum;
    if (sum > most.share) most = {metric.name.substr(kBlame.size()), sum};
  }
  if (all > 0) most.share /= all;
  return most;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string change_text(double change) {
  if (std::abs(change) < kFlatMetric) return "stays as it is";
  return fmt::format("{} by {}", change < 0 ? "falls" : "rises", percent(std::abs(change)));
}

std::string binding_text(const Binding& below, const Binding& above) {
  if (below.name.empty() || above.name.empty()) return {};
  if (below.name == above.name)
    return fmt::format("\n    {} binds on either side ({}, then {} of the critical path)", below.name,
                       percent(below.share), percent(above.share));
  return fmt::format("\n    {} binds below ({} of the critical path), {} above ({})", below.name,
                     percent(below.share), above.name, percent(above.share));
}

class Concluding {
 public:
  Concluding(const SweepResults& sweep, const std::string& pass, const std::string& name, Report& report)
      : pass_(pass),
        metric_(sweep.metric(pass, name)),
        effects_(effects_of(sweep, metric_)),
        report_(report) {
    report.fact("metric", name).fact("pass", pass);
  }

  void conclude() {
    say("Conclusion, {} of {}:", metric_.name, pass_ == "total" ? "all passes" : "pass " + pass_);
    const double largest = std::max(std::abs(effects_.least), std::abs(effects_.most));
    if (effects_.points.size() < kFewestPoints) {
      none(fmt::format("{} points are too few", effects_.points.size()));
    } else if (effects_.most - effects_.least <= kFlatMetric * largest) {
      none(fmt::format("flat: from {} to {} {}", significant(effects_.least), significant(effects_.most),
                       metric_.unit));
    } else {
      shapes();
      factors();
    }
    report_.say(text_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + '\n';
  }
  void none(const std::string& why) {
    say("  none: {}", why);
    report_.fact("none", why);
  }

  void shapes() {
    shapes_ = &report_.table(
        "shapes",
        {Column::words("axis"), Column::words("shape"), Column::number("from", "", 3),
         Column::number("to", "", 3), Column::words("unit"), Column::percent("change_below", ""),
         Column::percent("change_above", ""), Column::words("binds_below"),
         Column::percent("binds_below_share", ""), Column::words("binds_above"),
         Column::percent("binds_above_share", ""), Column::words("none")},
        Seen::kByPrograms);
    const std::vector<ResultAxis>& axes = effects_.sweep.axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto numbers = numbers_of(axes[axis].values);
      const auto effect = std::ranges::find(effects_.factors, axis, &FactorEffect::axis);
      if (!numbers || effect == effects_.factors.end()) continue;
      if (!effect->separable)
        no_shape(axis, "it changes together with other axes");
      else
        shape(axis, *numbers, effect->levels);
    }
  }

  // An axis, and those that change with it value for value.
  std::string factor_name(std::size_t axis) const {
    std::string name = effects_.sweep.axes[axis].name;
    const auto effect = std::ranges::find(effects_.factors, axis, &FactorEffect::axis);
    for (const std::size_t twin : effect->twins) name += " and " + effects_.sweep.axes[twin].name;
    return name;
  }

  void no_shape(std::size_t axis, const std::string& why) {
    const std::string name = factor_name(axis);
    say("  no knee, optimum or step along {}: {}", name, why);
    shapes_->add({name, std::string(name_of(Shape::kNone)), {}, {}, {}, {}, {}, {}, {}, {}, {}, why});
  }

  void shape(std::size_t axis, const AxisNumbers& numbers, std::vector<double> curve) {
    for (double& value : curve) value += effects_.mean;
    const CurveShape found = shape_of(numbers.values, curve);
    if (found.shape == Shape::kNone) return no_shape(axis, found.why);
    const double at = (found.from + found.to) / 2;
    const auto side = [&](bool below) {
      return binding_of(effects_.sweep, pass_, [&, below](std::size_t point) {
        const double x = numbers.values[effects_.sweep.points[point].levels[axis]];
        const bool on = found.from == found.to && std::abs(x - at) <= kOnIt * std::abs(at);
        return !on && (x < at) == below;
      });
    };
    const Binding below = side(true), above = side(false);
    const std::string name = factor_name(axis);
    const std::string unit = numbers.unit.empty() ? "" : " " + numbers.unit;
    say("  {}{}", shape_text(found, name, unit), binding_text(below, above));
    shapes_->add({name,
                  std::string(name_of(found.shape)),
                  found.from,
                  found.to,
                  numbers.unit,
                  found.before,
                  found.after,
                  below.name,
                  below.share,
                  above.name,
                  above.share,
                  {}});
  }

  std::string shape_text(const CurveShape& found, const std::string& name, const std::string& unit) const {
    if (found.shape == Shape::kStep) {
      return fmt::format("step along {}: between {:.4g} and {:.4g}{}; {} {}", name, found.from, found.to,
                         unit, metric_.name, change_text(found.before));
    }
    const std::string around =
        fmt::format("{} up to it and {} beyond", change_text(found.before), change_text(found.after));
    if (found.shape == Shape::kKnee)
      return fmt::format("knee along {}: at {:.3g}{}; {} {}", name, found.from, unit, metric_.name, around);
    return fmt::format("interior optimum along {}: {} is {} at {:.4g}{}; it {}", name, metric_.name,
                       found.before < 0 ? "lowest" : "highest", found.from, unit, around);
  }

  void factors() {
    const std::vector<FactorEffect>& factors = effects_.factors;
    if (factors.size() < 2) return no_factor("one axis alone varies");
    for (const FactorEffect& factor : factors) {
      if (!factor.separable)
        return no_factor(fmt::format("{} cannot be told from the other axes: they change together",
                                     factor_name(factor.axis)));
    }
    if (effects_.saturated) return no_factor("no more points than effects");
    say("  what matters most: {}", factors_text());
    report_.fact("interactions_share", effects_.rest);
    Table& table =
        report_.table("effects", {Column::words("axis"), Column::percent("share", "")}, Seen::kByPrograms);
    Table& levels = report_.table(
        "effects_of_values",
        {Column::words("axis"), Column::words("value"), Column::number("mean_minus_grand_mean", "", 3)},
        Seen::kByPrograms);
    for (const FactorEffect& factor : factors) {
      table.add({factor_name(factor.axis), factor.share});
      for (std::size_t i = 0; i < factor.levels.size(); ++i)
        levels.add({factor_name(factor.axis), effects_.sweep.axes[factor.axis].values[i], factor.levels[i]});
    }
  }

  void no_factor(const std::string& why) {
    say("  what matters most: none ({})", why);
    report_.fact("effects_none", why);
  }

  std::string factors_text() const {
    const FactorEffect& first = effects_.factors.front();
    const ResultAxis& axis = effects_.sweep.axes[first.axis];
    const auto low = std::ranges::min_element(first.levels), high = std::ranges::max_element(first.levels);
    const auto value = [&](auto it) {
      return axis.values[static_cast<std::size_t>(it - first.levels.begin())];
    };
    std::string text =
        fmt::format("{}, {} of the variance (mean {} {} at {}, {} at {})", factor_name(first.axis),
                    percent(first.share), significant(effects_.mean + *low), metric_.unit, value(low),
                    significant(effects_.mean + *high), value(high));
    for (std::size_t i = 1; i < effects_.factors.size(); ++i) {
      text += fmt::format("{} {} {}", i == 1 ? "\n    then" : ",", factor_name(effects_.factors[i].axis),
                          percent(effects_.factors[i].share));
    }
    text += fmt::format("; interactions {}", percent(effects_.rest));
    if (effects_.pair && effects_.pair->share >= kLeastPair) {
      text += fmt::format(", {} of it {} with {}", percent(effects_.pair->share / effects_.rest),
                          effects_.sweep.axes[effects_.pair->first].name,
                          effects_.sweep.axes[effects_.pair->second].name);
    }
    return text;
  }

  const std::string& pass_;
  const ResultMetric& metric_;
  Effects effects_;
  Report& report_;
  Table* shapes_ = nullptr;
  std::string text_;
};

}  // namespace

void conclude(const SweepResults& sweep, const std::string& pass, const std::string& metric, Report& report) {
  Concluding(sweep, pass, metric, report).conclude();
}

}  // namespace a3sim
