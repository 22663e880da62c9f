#include "sim/study/results/curve_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "sim/study/results/least_squares.h"

namespace a3sim {
namespace {

// Two lines have four parameters, and leave nothing to doubt them with on fewer points.
constexpr std::size_t kFewestValues = 5;
// A metric that changes by less is flat: reproductions of published latencies are no better than that.
constexpr double kFlatChange = 0.01;
// Runs that differ in nothing that matters differ by this much.
constexpr double kNoise = 0.003;
// How often a curve without a shape may be given one.
constexpr double kChance = 0.01;
// "About level": the slope is at most a quarter of the other side's.
constexpr double kLevel = 0.25;
// A rise beyond an optimum is so many times what the fit leaves.
constexpr double kClear = 3;

using Numbers = std::vector<double>;
using Function = std::function<double(double)>;

// What the axes' values are on paper: themselves or their logarithms.
struct Paper {
  bool log_x = false, log_y = false;
};
double on_paper(double value, bool log) { return log ? std::log2(value) : value; }
double off_paper(double value, bool log) { return log ? std::exp2(value) : value; }

struct Fit {
  Function of;                                               // the metric, by the axis
  double squares = std::numeric_limits<double>::infinity();  // of what is wrong, and of the noise
  std::size_t parameters = 0;
  std::size_t tries = 1;  // papers and places that it is the best of
  CurveShape shape{};     // with its place
};

class Curve {
 public:
  Curve(std::span<const double> x, std::span<const double> y)
      : x_(x.begin(), x.end()), y_(y.begin(), y.end()) {
    const auto positive = [](double v) { return v > 0; };
    positive_x_ = std::ranges::all_of(x_, positive);
    positive_y_ = std::ranges::all_of(y_, positive);
    spread_ = std::ranges::max(y_) - std::ranges::min(y_);
  }

  Fit level() const {
    Fit fit{[level = mean(0, x_.size())](double) { return level; }};
    fit.parameters = 1;
    fit.squares = squares(fit.of);
    return fit;
  }
  Fit line() const {
    return on_papers(
        2, [](const Numbers& x, const Numbers& y, CurveShape&) -> Function { return fit_line(x, y); });
  }
  Fit two_lines() const {
    return on_papers(4, [](const Numbers& x, const Numbers& y, CurveShape& shape) -> Function {
      const BrokenLine lines = fit_two_lines(x, y);
      const double left = std::abs(lines.left), right = std::abs(lines.right);
      const bool turns = (lines.left < 0) != (lines.right < 0);
      shape.shape =
          turns || std::min(left, right) <= kLevel * std::max(left, right) ? Shape::kKnee : Shape::kNone;
      shape.from = lines.at;
      return lines;
    });
  }
  Fit parabola() const {
    return on_papers(3, [](const Numbers& x, const Numbers& y, CurveShape& shape) -> Function {
      const Parabola fitted = fit_parabola(x, y);
      shape.shape = Shape::kOptimum;
      shape.from = fitted.top();
      return fitted;
    });
  }
  Fit step() const;

  // What tells a level side of two lines from one that turns: whether both ends lie above the least value
  // inside, or below the greatest, clearly so beside the noise.
  bool turns(const Fit& fit, double noise) const;
  // The places of a fit's shape and the changes around it.
  CurveShape described(Fit fit) const;
  double criterion(const Fit& fit) const {
    const auto n = static_cast<double>(x_.size());
    return n * std::log(fit.squares / n) + static_cast<double>(fit.parameters) * std::log(n);
  }
  // How often the simpler of two fits would leave so much more than the other by chance.
  double chance(const Fit& simple, const Fit& fit, std::size_t more) const {
    if (fit.squares >= simple.squares) return 1;
    const auto extra = static_cast<double>(more), left = static_cast<double>(x_.size() - fit.parameters);
    const double f = (simple.squares - fit.squares) / extra / (fit.squares / left);
    const boost::math::fisher_f_distribution<double> distribution(extra, left);
    return static_cast<double>(fit.tries) * boost::math::cdf(boost::math::complement(distribution, f));
  }
  double noise(const Fit& fit) const {
    return std::sqrt(fit.squares / static_cast<double>(x_.size() - fit.parameters));
  }

 private:
  // How wrong a prediction is, as a share: of the value, or, where values are negative, of all they differ by.
  double wrong(double predicted, double y) const {
    if (!positive_y_) return (predicted - y) / spread_;
    return predicted > 0 ? std::log(predicted / y) : std::numeric_limits<double>::infinity();
  }
  double squares(const Function& of) const {
    double sum = static_cast<double>(x_.size()) * kNoise * kNoise;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += std::pow(wrong(of(x_[i]), y_[i]), 2);
    return sum;
  }
  // The level that is least wrong about some values.
  double mean(std::size_t first, std::size_t last) const {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += on_paper(y_[i], positive_y_);
    return off_paper(sum / static_cast<double>(last - first), positive_y_);
  }
  template <class FitOn>
  Fit on_papers(std::size_t parameters, FitOn fit_on) const;

  Numbers x_, y_;
  bool positive_x_ = true, positive_y_ = true;
  double spread_ = 0;
};

// On the paper on which the fit is least wrong.
template <class FitOn>
Fit Curve::on_papers(std::size_t parameters, FitOn fit_on) const {
  Fit best;
  std::size_t papers = 0;
  for (const Paper paper : {Paper{false, false}, Paper{true, false}, Paper{true, true}, Paper{false, true}}) {
    if ((paper.log_x && !positive_x_) || (paper.log_y && !positive_y_)) continue;
    ++papers;
    Numbers x, y;
    for (const double v : x_) x.push_back(on_paper(v, paper.log_x));
    for (const double v : y_) y.push_back(on_paper(v, paper.log_y));
    Fit fit;
    fit.of = [on = fit_on(x, y, fit.shape), paper](double v) {
      return off_paper(on(on_paper(v, paper.log_x)), paper.log_y);
    };
    fit.shape.from = fit.shape.to = off_paper(fit.shape.from, paper.log_x);
    fit.squares = squares(fit.of);
    if (fit.squares < best.squares) best = std::move(fit);
  }
  best.parameters = parameters;
  best.tries = papers;
  return best;
}

// A level needs two points: one alone may be anything.
Fit Curve::step() const {
  Fit best;
  for (std::size_t k = 2; k + 2 <= x_.size(); ++k) {
    const double below = mean(0, k), above = mean(k, x_.size());
    Fit fit{[below, above, at = x_[k]](double v) { return v < at ? below : above; }};
    fit.squares = squares(fit.of);
    fit.shape = {Shape::kStep, {}, x_[k - 1], x_[k], 0, 0};
    if (fit.squares < best.squares) best = std::move(fit);
  }
  best.parameters = 3;
  best.tries = x_.size() - 3;
  return best;
}

bool Curve::turns(const Fit& fit, double noise) const {
  const auto [low, high] = std::ranges::minmax_element(y_);
  for (const auto best : {low, high}) {
    if (best == y_.begin() || best == y_.end() - 1) continue;
    const double sign = best == low ? 1 : -1, inside = x_[static_cast<std::size_t>(best - y_.begin())];
    const auto clear = [&](std::size_t end) {
      const double fitted = sign * wrong(fit.of(x_[end]), fit.of(inside)),
                   seen = sign * wrong(y_[end], *best);
      return std::min(fitted, seen) > std::max(kFlatChange, kClear * noise);
    };
    if (clear(0) && clear(x_.size() - 1)) return true;
  }
  return false;
}

CurveShape Curve::described(Fit fit) const {
  if (fit.shape.shape == Shape::kStep) {
    fit.shape.before = fit.of(x_.back()) / fit.of(x_.front()) - 1;
    return fit.shape;
  }
  if (fit.shape.shape == Shape::kOptimum) {
    // The best of the values that there are, on the side to which the fit turns.
    const bool least = fit.of(x_.front()) > fit.of(fit.shape.from);
    const auto best = least ? std::ranges::min_element(y_) : std::ranges::max_element(y_);
    fit.shape.from = fit.shape.to = x_[static_cast<std::size_t>(best - y_.begin())];
  }
  const double middle = fit.of(fit.shape.from);
  fit.shape.before = middle / fit.of(x_.front()) - 1;
  fit.shape.after = fit.of(x_.back()) / middle - 1;
  return fit.shape;
}

CurveShape none(std::string why) { return {Shape::kNone, std::move(why), 0, 0, 0, 0}; }

}  // namespace

CurveShape shape_of(std::span<const double> x, std::span<const double> y) {
  if (x.size() < kFewestValues)
    return none(fmt::format("{} values are too few, {} are needed", x.size(), kFewestValues));
  const auto [low, high] = std::ranges::minmax(y);
  if (high - low <= kFlatChange * std::max(std::abs(low), std::abs(high)))
    return none(fmt::format("flat within {:g} %", 100 * kFlatChange));
  const Curve curve(x, y);
  const Fit line = curve.line(), level = curve.level();
  const double simplest = std::min(curve.criterion(line), curve.criterion(level));
  std::optional<Fit> best;
  const auto consider = [&](Fit fit, double chance) {
    if (chance > kChance || curve.criterion(fit) >= simplest) return;
    if (!best || curve.criterion(fit) < curve.criterion(*best)) best = std::move(fit);
  };
  const Fit step = curve.step(), parabola = curve.parabola();
  Fit lines = curve.two_lines();
  const double noise = std::min({curve.noise(lines), curve.noise(step), curve.noise(parabola)});
  if (curve.turns(lines, noise)) lines.shape.shape = Shape::kOptimum;
  consider(lines, curve.chance(line, lines, 2));
  consider(step, curve.chance(level, step, 1));
  if (curve.turns(parabola, noise)) consider(parabola, curve.chance(line, parabola, 1));
  if (!best) return none("no shape fits better than one line");
  if (best->shape.shape == Shape::kNone)
    return none(fmt::format("it bends near {:.3g} and goes on changing", best->shape.from));
  return curve.described(std::move(*best));
}

}  // namespace a3sim
