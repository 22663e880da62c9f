#include "sim/study/calibration/predictor.h"

#include <fmt/format.h>

#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<Point> points_of(const Asked& asked, const Scenario& scenario) {
  std::vector<Point> points = predict(asked.table, scenario, asked.wanted).points;
  std::erase_if(points, [&](const Point& point) {
    return !point.variant.empty() || !asked.wanted.has(point.coordinates);
  });
  return points;
}

}  // namespace

Predictor::Predictor(std::vector<Asked> asked, const Scenario& scenario, std::vector<Parameter> parameters)
    : asked_(std::move(asked)), scenario_(scenario), parameters_(std::move(parameters)) {
  for (Asked& one : asked_) {
    one.wanted.variants = false;
    for (Comparison& comparison : compare(one.table, points_of(one, scenario_), one.wanted))
      points_.push_back({one.table.name, std::move(comparison)});
  }
}

std::vector<double> Predictor::at(std::span<const double> positions) const {
  std::vector<double> values;
  Scenario scenario = scenario_;
  scenario.hardware_values = hardware_values_at(parameters_, positions);
  for (const Asked& one : asked_) {
    for (const Point& point : points_of(one, scenario)) {
      const Point* known =
          values.size() < points_.size() ? &points_[values.size()].comparison.point : nullptr;
      if (!known || known->coordinates != point.coordinates || known->metric != point.metric ||
          known->unit != point.unit) {
        throw RunError(fmt::format("{} {}: a point that is there for some hardware values only",
                                   one.table.name, point.coordinates.dump()));
      }
      values.push_back(point.value);
    }
  }
  if (values.size() != points_.size()) throw RunError("a point is there for some hardware values only");
  return values;
}

std::vector<double> Predictor::nominal() const {
  std::vector<double> positions;
  for (const Parameter& parameter : parameters_) positions.push_back(parameter.nominal());
  return positions;
}

}  // namespace a3sim
