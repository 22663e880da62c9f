#include "sim/published/fit/fit.h"

#include <spdlog/spdlog.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <nlopt.hpp>

#include "sim/core/error.h"
#include "sim/core/progress.h"

namespace a3sim {
namespace {

constexpr double kFirstStep = 0.25;    // of a range
constexpr double kSecondStep = 0.05;   // where the optimum is known to be near
constexpr double kPrecision = 1e-4;    // of a range
constexpr double kDifference = 0.02;   // of a range, to each side, for derivatives
constexpr int kMostEvaluations = 400;  // of one search

double squared(double x) { return x * x; }

// Calls a function for NLopt, whose C code no exception may cross.
struct Call {
  std::function<double(const std::vector<double>&)> function;
  nlopt::opt& search;
  std::exception_ptr failure{};

  static double from_nlopt(const std::vector<double>& positions, std::vector<double>&, void* data) {
    auto& call = *static_cast<Call*>(data);
    try {
      return call.function(positions);
    } catch (...) {
      call.failure = std::current_exception();
      call.search.force_stop();
      return HUGE_VAL;
    }
  }
};

}  // namespace

SingularValues singular_values(const ColumnList& columns) {
  const auto parameters = static_cast<Eigen::Index>(columns.size());
  const auto points = static_cast<Eigen::Index>(columns.front().size());
  Eigen::MatrixXd matrix(points, parameters);
  for (Eigen::Index p = 0; p < parameters; ++p)
    matrix.col(p) = Eigen::Map<const Eigen::VectorXd>(columns[static_cast<std::size_t>(p)].data(), points);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeFullV);
  SingularValues result;
  for (Eigen::Index d = 0; d < parameters; ++d) {
    Eigen::VectorXd direction = svd.matrixV().col(d);
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction[largest] < 0) direction = -direction;
    // With fewer points than parameters, the last directions change nothing.
    result.values.push_back(d < svd.singularValues().size() ? svd.singularValues()[d] : 0);
    result.directions.emplace_back(direction.begin(), direction.end());
  }
  return result;
}

FitProblem::FitProblem(Model model, Admissible admissible, std::vector<double> published,
                       std::vector<double> start)
    : model_(std::move(model)),
      admissible_(std::move(admissible)),
      published_(std::move(published)),
      start_(std::move(start)) {}

std::vector<double> FitProblem::values(std::span<const double> positions) const {
  const std::vector<double> key(positions.begin(), positions.end());
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  std::vector<double> values = model_(positions);
  if (!std::all_of(values.begin(), values.end(), [](double value) { return value > 0; })) {
    throw RunError("a prediction that is fitted is not positive: it has no relative error");
  }
  const std::lock_guard lock(mutex_);
  known_.emplace(key, values);
  return values;
}

std::size_t FitProblem::evaluations() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

double FitProblem::objective(std::span<const double> positions, std::optional<std::size_t> left_out) const {
  const std::vector<double> predicted = values(positions);
  double sum = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (i != left_out) sum += squared(std::log(predicted[i] / published_[i]));
  }
  return sum;
}

FitProblem::Fit FitProblem::search(std::vector<double> from, double step,
                                   std::optional<std::size_t> left_out) const {
  nlopt::opt search(nlopt::LN_BOBYQA, static_cast<unsigned>(from.size()));
  Progress progress("runs of all points");
  const auto cost = [&](const std::vector<double>& positions) {
    progress.step();
    // Beyond the edge of what is admissible, the last value before it counts, plus a penalty for the way
    // beyond.
    const std::vector<double> inside = last_admissible(start_, positions, admissible_);
    double sum = objective(inside, left_out);
    for (std::size_t p = 0; p < inside.size(); ++p) sum += squared(positions[p] - inside[p]);
    return sum;
  };
  Call call{cost, search};
  search.set_min_objective(Call::from_nlopt, &call);
  search.set_lower_bounds(0);
  search.set_upper_bounds(1);
  search.set_initial_step(step);
  search.set_xtol_abs(kPrecision);
  search.set_maxeval(kMostEvaluations);
  double least = 0;
  try {
    search.optimize(from, least);
  } catch (const nlopt::forced_stop&) {
    std::rethrow_exception(call.failure);
  } catch (const nlopt::roundoff_limited&) {
    spdlog::debug("fit: as good as the numbers allow, {}", least);  // `from` is the best position
  }
  std::vector<double> positions = last_admissible(start_, from, admissible_);
  const double reached = objective(positions, left_out);
  return {std::move(positions), reached};
}

FitProblem::Fit FitProblem::fit() const {
  const Fit from_start = search(start_, kFirstStep, {});
  const Fit from_middle = search(std::vector<double>(start_.size(), 0.5), kFirstStep, {});
  return from_middle.objective < from_start.objective ? from_middle : from_start;
}

FitProblem::Fit FitProblem::fit_without(std::size_t left_out, const Fit& all) const {
  return search(all.positions, kSecondStep, left_out);
}

ColumnList FitProblem::jacobian(std::span<const double> positions) const {
  ColumnList columns;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    std::vector<double> ends[2];
    for (const double side : {-1.0, 1.0}) {
      std::vector<double> to(positions.begin(), positions.end());
      to[p] = std::clamp(to[p] + side * kDifference, 0.0, 1.0);
      ends[side > 0] = last_admissible(positions, std::move(to), admissible_);
    }
    const double way = ends[1][p] - ends[0][p];
    const std::vector<double> low = values(ends[0]), high = values(ends[1]);
    std::vector<double>& column = columns.emplace_back(low.size(), 0.0);
    for (std::size_t i = 0; way > 0 && i < low.size(); ++i) column[i] = std::log(high[i] / low[i]) / way;
  }
  return columns;
}

std::vector<double> FitProblem::reach(std::span<const double> positions) const {
  std::vector<double> most;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    std::vector<double> ends[2];
    for (const int end : {0, 1}) {
      std::vector<double> to(positions.begin(), positions.end());
      to[p] = end;
      ends[end] = values(last_admissible(positions, std::move(to), admissible_));
    }
    double& reach = most.emplace_back(0);
    for (std::size_t i = 0; i < ends[0].size(); ++i) {
      reach = std::max(reach, std::abs(std::log(ends[1][i] / ends[0][i])));
    }
  }
  return most;
}

}  // namespace a3sim
