#include "sim/study/calibration/predictor.h"

#include <fmt/format.h>

#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<Point> run(const std::string& experiment, const Setting& setting) {
  std::vector<Point> points = Reproductions::get(experiment).run(setting).points;
  std::erase_if(points,
                [&](const Point& point) { return !point.variant.empty() || !setting.wants(point.kase); });
  return points;
}

}  // namespace

Predictor::Predictor(std::vector<Asked> asked, const Setting& setting, std::vector<Parameter> parameters)
    : asked_(std::move(asked)), setting_(setting), parameters_(std::move(parameters)) {
  setting_.variants = false;
  for (const Asked& one : asked_) {
    const Setting its = setting_for(one);
    for (Comparison& comparison : compare(one.experiment, its, run(one.experiment, its))) {
      points_.push_back({one.experiment, std::move(comparison)});
    }
  }
}

Setting Predictor::setting_for(const Asked& asked) const {
  Setting setting = setting_;
  setting.cases = asked.cases;
  return setting;
}

std::vector<double> Predictor::at(std::span<const double> positions) const {
  std::vector<double> values;
  for (const Asked& one : asked_) {
    Setting setting = setting_for(one);
    setting.stated = stated_at(parameters_, positions);
    for (const Point& point : run(one.experiment, setting)) {
      const Point* known =
          values.size() < points_.size() ? &points_[values.size()].comparison.point : nullptr;
      if (!known || known->kase != point.kase || known->metric != point.metric || known->unit != point.unit) {
        throw RunError(fmt::format("{} {}: a point that is there for some hardware values only",
                                   one.experiment, point.kase.dump()));
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
