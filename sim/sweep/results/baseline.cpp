#include "sim/sweep/results/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/core/error.h"
#include "sim/sweep/results/best_view.h"

namespace a3sim {
namespace {

constexpr double kNoSpeedUp = std::numeric_limits<double>::quiet_NaN();

// A value on an axis.
struct BaselinePlace {
  std::size_t axis = 0, level = 0;
};

BaselinePlace baseline_place(const SweepResults& sweep, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    throw InputError(
        fmt::format("--baseline {}: expected AXIS=VALUE, such as {}={}", text, sweep.axes.front().name,
                    sweep.axes.front().values.empty() ? "VALUE" : sweep.axes.front().values.front()));
  BaselinePlace place;
  place.axis = sweep.axis(text.substr(0, equals));
  // where() knows that `8` is `8.0`.
  const SweepResults chosen = where(sweep, text);
  const std::vector<std::string>& values = chosen.axes[place.axis].values;
  if (values.size() != 1) throw InputError(fmt::format("--baseline {}: expected one value", text));
  const std::vector<std::string>& all = sweep.axes[place.axis].values;
  place.level = static_cast<std::size_t>(std::ranges::find(all, values.front()) - all.begin());
  return place;
}

}  // namespace

std::string add_speed_ups(SweepResults& sweep, const std::string& pass, std::string_view baseline,
                          const std::string& value) {
  const BaselinePlace place = baseline_place(sweep, baseline);
  const Objective objective = objective_of(sweep, pass, value);
  std::map<std::vector<std::size_t>, std::size_t> point_at;
  for (std::size_t point = 0; point < sweep.points.size(); ++point)
    point_at.emplace(sweep.points[point].levels, point);
  ResultMetric metric{pass, kSpeedUp, "", {}};
  for (const ResultPoint& point : sweep.points) {
    std::vector<std::size_t> levels = point.levels;
    const double own = objective.metric->values[metric.values.size()];
    levels[place.axis] = place.level;
    const auto base = point_at.find(levels);
    const double other = base == point_at.end() ? kNoSpeedUp : objective.metric->values[base->second];
    const double ratio = objective.larger ? own / other : other / own;
    metric.values.push_back(std::isfinite(ratio) ? ratio : kNoSpeedUp);
  }
  std::string meaning =
      fmt::format("{}: {} relative to {}, all else equal", kSpeedUp, objective.metric->name, baseline);
  std::erase_if(sweep.metrics,
                [&](const ResultMetric& each) { return each.pass == pass && each.name == kSpeedUp; });
  sweep.metrics.push_back(std::move(metric));
  return meaning;
}

}  // namespace a3sim
