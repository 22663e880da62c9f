#include "sim/study/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/core/parallel.h"

namespace a3sim {
namespace {

constexpr double kAtEnd = 1e-3;  // of a range

// The cases of each table that something published for calibration belongs to.
std::vector<Asked> asked_for(const std::vector<std::string>& tables, const Scenario& scenario) {
  std::vector<Asked> asked;
  for (const std::string& name : tables) {
    PublishedTable table = read_published_table(scenario.configs, name);
    std::vector<nlohmann::ordered_json> cases;
    for (const Reference& reference : table.references) {
      if (reference.calibration) cases.push_back(reference.coordinates);
    }
    if (!cases.empty()) asked.push_back({std::move(table), {.cases = std::move(cases)}});
  }
  if (asked.empty()) {
    throw InputError(fmt::format("{}: no point of these experiments is published with 'use: calibration'",
                                 (scenario.configs / "published").string()));
  }
  return asked;
}

// The predictor's points that are fitted to: a case may have other metrics too.
std::vector<std::size_t> fitted_points(const Predictor& predictor) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < predictor.points().size(); ++i) {
    const std::optional<Reference>& reference = predictor.points()[i].comparison.reference;
    if (reference && reference->calibration) chosen.push_back(i);
  }
  return chosen;
}

FitProblem problem_of(const Predictor& predictor, const std::vector<std::size_t>& chosen,
                      const std::filesystem::path& hardware) {
  std::vector<double> published;
  for (const std::size_t i : chosen) {
    const Comparison& comparison = predictor.points()[i].comparison;
    published.push_back(comparison.reference.value().in(comparison.point.unit));
  }
  return FitProblem(
      [&predictor, chosen](std::span<const double> positions) {
        const std::vector<double> all = predictor.at(positions);
        std::vector<double> values;
        for (const std::size_t i : chosen) values.push_back(all[i]);
        return values;
      },
      [&predictor, hardware](std::span<const double> positions) {
        return admissible(hardware, hardware_values_at(predictor.parameters(), positions));
      },
      std::move(published), predictor.nominal());
}

void fill_parameters(Calibration& calibration, const FitProblem& problem, const Predictor& predictor,
                     const FitProblem::Fit& fit) {
  const std::vector<double> reach = problem.reach(fit.positions);
  for (std::size_t p = 0; p < reach.size(); ++p) {
    const Parameter& parameter = predictor.parameters()[p];
    const std::string value = parameter.rounded(fit.positions[p]);
    calibration.parameters.push_back({parameter, value, parameter.position_of(value), reach[p]});
  }
}

void find_unidentified(Calibration& calibration) {
  for (const Calibration::Fitted& fitted : calibration.parameters) {
    if (fitted.reach >= kLeastChange) continue;
    calibration.refused.push_back(fmt::format("{}: its whole range moves no point by more than {:.2f} %",
                                              fitted.parameter.path(), 100 * fitted.reach));
  }
  const SingularValues& singular = calibration.identified;
  if (!calibration.refused.empty() || singular.values.back() >= kLeastChange) return;
  const std::vector<double>& weakest = singular.directions.back();
  const auto most = std::max_element(weakest.begin(), weakest.end(),
                                     [](double a, double b) { return std::abs(a) < std::abs(b); });
  const auto p = static_cast<std::size_t>(most - weakest.begin());
  calibration.refused.push_back(
      fmt::format("{}: the others make up for it: the weakest combination moves the points by {:.2f} % only",
                  calibration.parameters[p].parameter.path(), 100 * singular.values.back()));
}

}  // namespace

bool Calibration::Fitted::at_low_end() const { return position < kAtEnd; }
bool Calibration::Fitted::at_high_end() const { return position > 1 - kAtEnd; }

std::vector<NewValue> Calibration::new_values() const {
  std::vector<NewValue> values;
  for (const Fitted& fitted : parameters) values.push_back({fitted.parameter.stated(), fitted.value});
  return values;
}

Calibration calibrate(const std::filesystem::path& hardware, const std::vector<std::string>& tables,
                      const Scenario& scenario) {
  const Predictor predictor(asked_for(tables, scenario), scenario, fitted_parameters(hardware));
  const std::vector<std::size_t> chosen = fitted_points(predictor);
  const FitProblem problem = problem_of(predictor, chosen, hardware);
  const FitProblem::Fit fit = problem.fit();

  Calibration calibration;
  calibration.hardware = hardware;
  fill_parameters(calibration, problem, predictor, fit);
  calibration.identified = singular_values(problem.jacobian(fit.positions));
  find_unidentified(calibration);

  std::vector<double> written;  // the positions of what is written, which are rounded
  for (const Calibration::Fitted& fitted : calibration.parameters) written.push_back(fitted.position);
  const std::vector<double> before = problem.values(predictor.nominal()), after = problem.values(written);
  calibration.objective_before = problem.objective(predictor.nominal());
  calibration.objective_after = problem.objective(written);
  std::vector<double> left_out(chosen.size(), 0);
  if (calibration.refused.empty()) {
    in_parallel(chosen.size(), scenario.threads, [&](std::size_t i) {
      left_out[i] = problem.values(problem.fit_without(i, fit).positions)[i];
    });
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Predictor::Named& point = predictor.points()[chosen[i]];
    const double published = point.comparison.reference.value().in(point.comparison.point.unit);
    calibration.points.push_back({point, published, before[i], after[i], left_out[i]});
  }
  calibration.evaluations = problem.evaluations();
  return calibration;
}

}  // namespace a3sim
