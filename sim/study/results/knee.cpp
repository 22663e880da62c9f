#include "sim/study/results/knee.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/study/results/broken_line.h"

namespace a3sim {
namespace {

// Each line needs two points besides the knee: on fewer, any curve has one.
constexpr std::size_t kFewestValues = 5;
// The search takes time with the fourth power of the number of values; this many take half a second.
constexpr std::size_t kMostValues = 128;
// A metric that changes by less is flat: reproductions of published latencies are no better than that.
constexpr double kFlatChange = 0.01;
// One line that predicts the metric within this is straight enough for anybody.
constexpr double kStraight = 0.005;
// Two lines must predict unseen points with at most a third of one line's error. So they did for 0.4 % of
// 2,400 lines of five points with 2 % of noise, and for all of 200 knees with the same noise.
constexpr double kBetter = 1.0 / 3;
// "Stops": the slope beyond is at most a quarter of that before, or goes the other way.
constexpr double kStopped = 0.25;

using Numbers = std::vector<double>;

// What the axes' values are on paper: themselves or their logarithms.
struct Paper {
  bool log_x = false, log_y = false;
};

double on_paper(double value, bool log) { return log ? std::log2(value) : value; }
double off_paper(double value, bool log) { return log ? std::exp2(value) : value; }

struct PaperFit {
  Paper paper;
  BrokenLine line;
  double operator()(double x) const { return off_paper(line(on_paper(x, paper.log_x)), paper.log_y); }
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
  // How wrong a prediction is, as a share: of the value, or, where values are negative, of all they differ
  // by.
  double wrong(double predicted, double y) const {
    if (!positive_y_) return (predicted - y) / spread_;
    return predicted > 0 ? std::log(predicted / y) : std::numeric_limits<double>::infinity();
  }
  // On the paper on which points are predicted best from the others: that fit, and the mean square of what is
  // wrong about these predictions.
  std::pair<PaperFit, double> fit(bool two_lines) const {
    std::pair<PaperFit, double> best{{}, std::numeric_limits<double>::infinity()};
    for (const Paper paper :
         {Paper{false, false}, Paper{true, false}, Paper{true, true}, Paper{false, true}}) {
      if ((paper.log_x && !positive_x_) || (paper.log_y && !positive_y_)) continue;
      const double error = unseen_error(paper, two_lines);
      if (error < best.second) best = {fit_on(paper, two_lines), error};
    }
    return best;
  }

 private:
  PaperFit fit_on(Paper paper, bool two_lines) const {
    Numbers x, y;
    for (const double v : x_) x.push_back(on_paper(v, paper.log_x));
    for (const double v : y_) y.push_back(on_paper(v, paper.log_y));
    return {paper, two_lines ? fit_two_lines(x, y) : fit_line(x, y)};
  }
  double unseen_error(Paper paper, bool two_lines) const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      Curve others = *this;
      others.x_.erase(others.x_.begin() + static_cast<std::ptrdiff_t>(i));
      others.y_.erase(others.y_.begin() + static_cast<std::ptrdiff_t>(i));
      const double error = wrong(others.fit_on(paper, two_lines)(x_[i]), y_[i]);
      sum += error * error;
    }
    return sum / static_cast<double>(x_.size());
  }

  Numbers x_, y_;
  bool positive_x_ = true, positive_y_ = true;
  double spread_ = 0;
};

bool stops(const BrokenLine& line) {
  const double left = std::abs(line.left), right = std::abs(line.right);
  return std::min(left, right) <= kStopped * std::max(left, right) || (line.left < 0) != (line.right < 0);
}

}  // namespace

KneeSearch find_knee(std::span<const double> x, std::span<const double> y) {
  if (x.size() < kFewestValues)
    return {{}, fmt::format("{} values are too few, {} are needed", x.size(), kFewestValues)};
  if (x.size() > kMostValues) return {{}, fmt::format("more than {} values", kMostValues)};
  const auto [low, high] = std::ranges::minmax(y);
  if (high - low <= kFlatChange * std::max(std::abs(low), std::abs(high)))
    return {{}, fmt::format("flat within {:g} %", 100 * kFlatChange)};
  const Curve curve(x, y);
  const double one = curve.fit(false).second;
  if (one <= kStraight * kStraight) return {{}, "one line fits"};
  const auto [fit, two] = curve.fit(true);
  if (!(two <= kBetter * kBetter * one)) return {{}, "two lines fit no better than one"};
  const double at = off_paper(fit.line.at, fit.paper.log_x), middle = fit(at);
  if (!stops(fit.line)) return {{}, fmt::format("it bends near {:.3g} and goes on changing", at)};
  return {Knee{at, middle / fit(x.front()) - 1, fit(x.back()) / middle - 1}, ""};
}

}  // namespace a3sim
