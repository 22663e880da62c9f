#include "sim/sweep/results/effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace a3sim {
namespace {

// A metric that changes by less is flat.
constexpr double kFlat = 0.01;

using Levels = std::vector<std::size_t>;

class AxisComparer {
 public:
  AxisComparer(const SweepResults& sweep, const ResultMetric& metric, Effects& effects)
      : sweep_(sweep), metric_(metric), effects_(effects) {
    for (std::size_t point = 0; point < sweep.points.size(); ++point)
      if (std::isfinite(metric.values[point])) points_.push_back(point);
    effects.points = points_.size();
    effects.of = sweep.points.size();
    if (points_.empty()) return;
    const auto value = [&](std::size_t point) { return metric.values[point]; };
    effects.smallest = value(*std::ranges::min_element(points_, {}, value));
    effects.largest = value(*std::ranges::max_element(points_, {}, value));
    effects.ratios = effects.smallest > 0;
  }

  void compare() {
    for (std::size_t axis = 0; axis < sweep_.axes.size(); ++axis) {
      if (values_on(axis) < 2) continue;
      const auto twin = std::ranges::find_if(
          effects_.axes, [&](const AxisEffect& other) { return twins(other.axis, axis); });
      if (twin == effects_.axes.end())
        effects_.axes.push_back({.axis = axis, .twins = {}, .smallest_at = {}, .largest_at = {}});
      else
        twin->twins.push_back(axis);
    }
    for (AxisEffect& effect : effects_.axes) fill(effect);
    std::ranges::stable_sort(effects_.axes, std::greater(), [](const AxisEffect& effect) {
      return effect.comparisons > 0 ? effect.change : -1;
    });
  }

 private:
  std::size_t level(std::size_t point, std::size_t axis) const { return sweep_.points[point].levels[axis]; }

  std::size_t values_on(std::size_t axis) const {
    std::set<std::size_t> seen;
    for (const std::size_t point : points_) seen.insert(level(point, axis));
    return seen.size();
  }

  // True if each value of one axis goes with one value of the other.
  bool twins(std::size_t a, std::size_t b) const {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const std::size_t point : points_) pairs.emplace(level(point, a), level(point, b));
    return pairs.size() == values_on(a) && pairs.size() == values_on(b);
  }

  // Returns the sets of points that differ on this axis alone.
  std::vector<std::vector<std::size_t>> comparisons_of(const AxisEffect& effect) const {
    std::map<Levels, std::vector<std::size_t>> by_place;
    for (const std::size_t point : points_) {
      Levels place = sweep_.points[point].levels;
      place[effect.axis] = 0;
      for (const std::size_t twin : effect.twins) place[twin] = 0;
      by_place[place].push_back(point);
    }
    std::vector<std::vector<std::size_t>> sets;
    for (auto& [place, set] : by_place)
      if (set.size() > 1) sets.push_back(std::move(set));
    return sets;
  }

  void fill(AxisEffect& effect) const {
    std::vector<std::vector<std::size_t>> sets = comparisons_of(effect);
    const std::size_t values = values_on(effect.axis);
    const auto whole = [&](const auto& set) { return set.size() == values; };
    effect.complete = std::ranges::any_of(sets, whole);
    if (effect.complete) std::erase_if(sets, std::not_fn(whole));
    effect.comparisons = sets.size();
    if (sets.empty()) return;
    double sum = 0;
    effect.least = std::numeric_limits<double>::infinity();
    std::set<std::size_t> lows, highs;
    for (const std::vector<std::size_t>& set : sets) {
      const auto value = [&](std::size_t point) { return metric_.values[point]; };
      const std::size_t low = *std::ranges::min_element(set, {}, value),
                        high = *std::ranges::max_element(set, {}, value);
      const double change = effects_.ratios ? value(high) / value(low) - 1 : value(high) - value(low);
      sum += effects_.ratios ? std::log1p(change) : change;
      effect.least = std::min(effect.least, change);
      effect.most = std::max(effect.most, change);
      lows.insert(level(low, effect.axis));
      highs.insert(level(high, effect.axis));
    }
    const double mean = sum / static_cast<double>(sets.size());
    effect.change = effects_.ratios ? std::expm1(mean) : mean;
    const std::vector<std::string>& names = sweep_.axes[effect.axis].values;
    if (lows.size() == 1) effect.smallest_at = names[*lows.begin()];
    if (highs.size() == 1) effect.largest_at = names[*highs.begin()];
  }

  const SweepResults& sweep_;
  const ResultMetric& metric_;
  Effects& effects_;
  std::vector<std::size_t> points_;  // that have the metric
};

}  // namespace

bool Effects::matters(const AxisEffect& effect) const {
  const double least = ratios ? kFlat : kFlat * std::max(std::abs(smallest), std::abs(largest));
  return effect.comparisons > 0 && effect.change >= least && effect.change > noise;
}

bool is_of_seeds(const ResultAxis& axis) { return axis.name == "seed" || axis.name.ends_with("_seed"); }

Effects effects_of(const SweepResults& sweep, const ResultMetric& metric) {
  Effects effects;
  AxisComparer(sweep, metric, effects).compare();
  for (const AxisEffect& effect : effects.axes)
    if (is_of_seeds(sweep.axes[effect.axis])) effects.noise = std::max(effects.noise, effect.change);
  return effects;
}

}  // namespace a3sim
