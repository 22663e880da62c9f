#include <fmt/format.h>

#include <cmath>

#include "sim/study/calibration/calibration.h"
#include "sim/study/published/metric.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

std::string error_percent(double predicted, double published) {
  return fmt::format("{:+.1f} %", 100 * (predicted / published - 1));
}

std::string case_text(const nlohmann::ordered_json& kase) {
  std::string text;
  for (const auto& [key, value] : kase.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string end_of(const Calibration::Fitted& fitted) {
  if (fitted.at_low_end()) return "low";
  return fitted.at_high_end() ? "high" : "";
}

std::string parameters_table(const Calibration& calibration) {
  Table table({"parameter", "start", "fitted", "low", "high", "at end", "moves a point by"});
  for (const Calibration::Fitted& fitted : calibration.parameters) {
    const SourcedValue& stated = fitted.parameter.stated();
    table.add({stated.path, stated.value, fitted.value, stated.low, stated.high, end_of(fitted),
               fmt::format("{:.1f} %", 100 * fitted.reach)});
  }
  return table.text();
}

std::string points_table(const Calibration& calibration) {
  Table table({"experiment", "case", "metric", "published", "before", "fitted", "left out"});
  for (const Calibration::Fit& fit : calibration.points) {
    const Point& point = fit.point.comparison.point;
    table.add({fit.point.experiment, case_text(point.kase), point.metric,
               fmt::format("{} {}", significant(fit.published), point.unit),
               error_percent(fit.before, fit.published), error_percent(fit.after, fit.published),
               fit.left_out > 0 ? error_percent(fit.left_out, fit.published) : "-"});
  }
  return table.text();
}

std::string weakest_text(const Calibration& calibration) {
  std::string text;
  const std::vector<double>& weakest = calibration.identified.directions.back();
  for (std::size_t p = 0; p < weakest.size(); ++p) {
    text += fmt::format("{}{:+.2f} {}", p == 0 ? "" : ", ", weakest[p],
                        calibration.parameters[p].parameter.path());
  }
  return text;
}

// The root of the mean of the squared logarithms.
double mean_error(double objective, std::size_t points) {
  return std::sqrt(objective / static_cast<double>(points));
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
  std::string values;
  for (const double value : calibration.identified.values) values += fmt::format(" {:.4f}", value);
  std::string text = fmt::format(
      "{}\n{}\n"
      "Singular values of the points' logarithms by positions in the ranges:{}\n"
      "The weakest direction: {}\n\n{}\n"
      "Root of the mean squared error: {:.2f} % before, {:.2f} % fitted; {} runs of all points.\n"
      "'left out' is the error of a fit to all other points.\n",
      calibration.hardware.string(), parameters_table(calibration), values, weakest_text(calibration),
      points_table(calibration), 100 * mean_error(calibration.objective_before, calibration.points.size()),
      100 * mean_error(calibration.objective_after, calibration.points.size()), calibration.evaluations);
  for (const std::string& refused : calibration.refused) text += fmt::format("Not identified: {}\n", refused);
  return text;
}

nlohmann::ordered_json calibration_json(const Calibration& calibration) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array(), points = parameters;
  for (const Calibration::Fitted& fitted : calibration.parameters) {
    const SourcedValue& stated = fitted.parameter.stated();
    parameters.push_back({{"parameter", stated.path},
                          {"start", stated.value},
                          {"fitted", fitted.value},
                          {"low", stated.low},
                          {"high", stated.high},
                          {"at_end", fitted.at_low_end() || fitted.at_high_end()},
                          {"reach", fitted.reach}});
  }
  for (const Calibration::Fit& fit : calibration.points) {
    const Point& point = fit.point.comparison.point;
    points.push_back({{"experiment", fit.point.experiment},
                      {"case", point.kase},
                      {"metric", point.metric},
                      {"unit", point.unit},
                      {"published", fit.published},
                      {"before", fit.before},
                      {"fitted", fit.after},
                      {"left_out", fit.left_out > 0 ? nlohmann::ordered_json(fit.left_out) : nullptr}});
  }
  return {{"hardware", calibration.hardware.string()},
          {"parameters", parameters},
          {"singular_values", calibration.identified.values},
          {"directions", calibration.identified.directions},
          {"points", points},
          {"objective_before", calibration.objective_before},
          {"objective_after", calibration.objective_after},
          {"refused", calibration.refused}};
}

}  // namespace a3sim
