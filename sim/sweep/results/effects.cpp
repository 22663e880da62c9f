#include "sim/sweep/results/effects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/core/statistics.h"
#include "sim/sweep/results/least_squares.h"

namespace a3sim {
namespace {

// Pairs of axes with more cells are not tried as interactions: their equations take seconds to solve.
constexpr std::size_t kMostCells = 400;

// A factor of the model, with the level of each point.
struct Factor {
  std::size_t size = 0;
  std::vector<std::size_t> level_of;
};

struct AdditiveFit {
  double residual = 0;  // sum of squares
  std::size_t rank = 0;
  std::vector<std::vector<double>> coefficients;  // by factor, then by level
  double intercept = 0;
};

// Fits y = intercept + one coefficient per factor. The intercept is the first column, then all levels
// follow.
AdditiveFit fit_additive(const std::vector<Factor>& factors, const std::vector<double>& y) {
  std::vector<std::size_t> first{1};
  for (const Factor& factor : factors) first.push_back(first.back() + factor.size);
  const std::size_t size = first.back();
  std::vector<double> matrix(size * size, 0), right(size, 0);
  std::vector<std::size_t> columns(factors.size() + 1, 0);
  for (std::size_t point = 0; point < y.size(); ++point) {
    for (std::size_t f = 0; f < factors.size(); ++f) columns[f + 1] = first[f] + factors[f].level_of[point];
    for (const std::size_t i : columns) {
      right[i] += y[point];
      for (const std::size_t j : columns) matrix[i * size + j] += 1;
    }
  }
  const NormalSolution solution = solve_normal_equations(matrix, right);
  AdditiveFit fit{0, solution.rank, {}, solution.coefficients[0]};
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const auto begin = solution.coefficients.begin();
    fit.coefficients.emplace_back(begin + static_cast<std::ptrdiff_t>(first[f]),
                                  begin + static_cast<std::ptrdiff_t>(first[f + 1]));
  }
  for (std::size_t point = 0; point < y.size(); ++point) {
    double error = y[point] - fit.intercept;
    for (std::size_t f = 0; f < factors.size(); ++f) error -= fit.coefficients[f][factors[f].level_of[point]];
    fit.residual += error * error;
  }
  return fit;
}

std::vector<Factor> without(std::vector<Factor> factors, std::size_t f) {
  factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(f));
  return factors;
}

Factor combined(const Factor& a, const Factor& b) {
  Factor both{a.size * b.size, {}};
  for (std::size_t point = 0; point < a.level_of.size(); ++point)
    both.level_of.push_back(a.level_of[point] * b.size + b.level_of[point]);
  return both;
}

// Returns the pair of factors whose cells explain most of what the additive model leaves.
std::optional<PairEffect> largest_pair(const std::vector<Factor>& factors, const std::vector<double>& y,
                                       double residual, double total) {
  std::optional<PairEffect> best;
  for (std::size_t a = 0; a < factors.size(); ++a) {
    for (std::size_t b = a + 1; b < factors.size(); ++b) {
      if (factors[a].size * factors[b].size > kMostCells) continue;
      std::vector<Factor> model = without(without(factors, b), a);
      model.push_back(combined(factors[a], factors[b]));
      const double share = (residual - fit_additive(model, y).residual) / total;
      if (!best || share > best->share) best = PairEffect{a, b, share};
    }
  }
  return best;
}

std::vector<std::size_t> points_with(const ResultMetric& metric) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < metric.values.size(); ++i) {
    if (std::isfinite(metric.values[i])) points.push_back(i);
  }
  return points;
}

std::vector<double> centred(std::vector<double> levels) {
  const double mean = arithmetic_mean(levels);
  for (double& level : levels) level -= mean;
  return levels;
}

// True if each level of one factor goes with one level of the other.
bool same_factor(const Factor& a, const Factor& b) {
  if (a.size != b.size) return false;
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> b_of(a.size, kUnknown), a_of(b.size, kUnknown);
  for (std::size_t point = 0; point < a.level_of.size(); ++point) {
    std::size_t &to = b_of[a.level_of[point]], &from = a_of[b.level_of[point]];
    if (to == kUnknown) to = b.level_of[point];
    if (from == kUnknown) from = a.level_of[point];
    if (to != b.level_of[point] || from != a.level_of[point]) return false;
  }
  return true;
}

// Fills in the main effects of `y` on the axes that vary.
void fill_effects(Effects& effects, const std::vector<double>& y) {
  std::vector<Factor> factors;
  for (std::size_t axis = 0; axis < effects.sweep.axes.size(); ++axis) {
    if (effects.sweep.axes[axis].values.size() < 2) continue;
    Factor factor{effects.sweep.axes[axis].values.size(), {}};
    for (const ResultPoint& point : effects.sweep.points) factor.level_of.push_back(point.levels[axis]);
    const auto twin =
        std::ranges::find_if(factors, [&](const Factor& other) { return same_factor(other, factor); });
    if (twin != factors.end()) {
      effects.factors[static_cast<std::size_t>(twin - factors.begin())].twins.push_back(axis);
      continue;
    }
    factors.push_back(std::move(factor));
    effects.factors.push_back({axis, {}, {}, 0, true});
  }
  const double total = fit_additive({}, y).residual;
  const AdditiveFit fit = fit_additive(factors, y);
  effects.mean += fit.intercept;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    FactorEffect& effect = effects.factors[f];
    const AdditiveFit others = fit_additive(without(factors, f), y);
    effect.levels = centred(fit.coefficients[f]);
    effect.separable = fit.rank - others.rank == factors[f].size - 1;
    if (total > 0) effect.share = (others.residual - fit.residual) / total;
    effects.mean += arithmetic_mean(fit.coefficients[f]);
  }
  effects.saturated = fit.rank >= y.size();
  if (total > 0) {
    effects.rest = fit.residual / total;
    effects.pair = largest_pair(factors, y, fit.residual, total);
  }
  if (effects.pair) {
    effects.pair->first = effects.factors[effects.pair->first].axis;
    effects.pair->second = effects.factors[effects.pair->second].axis;
  }
  std::ranges::stable_sort(effects.factors, std::greater<>(), &FactorEffect::share);
}

}  // namespace

Effects effects_of(const SweepResults& sweep, const ResultMetric& metric) {
  Effects effects;
  effects.points = points_with(metric);
  effects.sweep = select(sweep, effects.points);
  if (effects.points.empty()) return effects;
  std::vector<double> y;
  for (const std::size_t point : effects.points) y.push_back(metric.values[point]);
  std::tie(effects.least, effects.most) =
      std::minmax(*std::ranges::min_element(y), *std::ranges::max_element(y));
  // Subtracts the mean, so that the equations lose no digits to it.
  effects.mean = arithmetic_mean(y);
  for (double& value : y) value -= effects.mean;
  fill_effects(effects, y);
  return effects;
}

}  // namespace a3sim
