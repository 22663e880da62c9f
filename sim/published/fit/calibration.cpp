#include "sim/published/fit/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/read_file.h"
#include "sim/published/fit/measurements.h"

namespace a3sim {
namespace {

constexpr double kAtEnd = 1e-3;  // of a range

// True if a machine takes values from the fitted files. A machine that no file describes is the user's own.
bool is_described_by(const std::string& hardware, std::span<const std::filesystem::path> files,
                     const Scenario& scenario) {
  const std::filesystem::path file = scenario.configs / "hardware" / (hardware + ".yaml");
  if (!std::filesystem::exists(file)) return true;
  Diagnostics diagnostics;
  const std::vector<SourcedValue> values = sourced_values(Config::load(file, {}, diagnostics));
  return std::ranges::any_of(values, [&](const SourcedValue& value) {
    return std::ranges::any_of(files, [&](const std::filesystem::path& fitted) {
      std::error_code none;
      return std::filesystem::equivalent(value.mark.file, fitted, none);
    });
  });
}

// Returns the cases of each table with a value published for this use. Those of other machines are fitted
// to by hand. Measurements are of the fitted machine, whatever its name.
std::vector<TableRequest> asked_for(const std::vector<PublishedTable>& tables, const Scenario& scenario,
                                    std::span<const std::filesystem::path> files, Use use) {
  std::vector<TableRequest> asked;
  std::map<std::string, bool> described;
  for (const PublishedTable& table : tables) {
    std::vector<nlohmann::ordered_json> cases;
    for (const Reference& reference : table.references) {
      if (reference.use != use || std::ranges::find(cases, reference.coordinates) != cases.end()) continue;
      const auto [known, is_new] = described.try_emplace(reference.hardware, false);
      if (is_new) known->second = is_described_by(reference.hardware, files, scenario);
      if (is_measured(table) || known->second) cases.push_back(reference.coordinates);
    }
    if (!cases.empty()) asked.push_back({table, {.cases = std::move(cases)}});
  }
  if (asked.empty() && use == Use::kCalibration) {
    throw InputError(fmt::format("{}: no point of these experiments is published with 'use: calibration'",
                                 (scenario.configs / "published").string()));
  }
  return asked;
}

// Returns the predictor's points that are published for this use. A case may have other metrics too.
std::vector<std::size_t> points_for(const Predictor& predictor, Use use) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < predictor.points().size(); ++i) {
    const std::optional<Reference>& reference = predictor.points()[i].comparison.reference;
    if (reference && reference->use == use) chosen.push_back(i);
  }
  return chosen;
}

FitProblem problem_of(const Predictor& predictor, const std::vector<std::size_t>& chosen,
                      std::span<const std::filesystem::path> files) {
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
      [&predictor, files](std::span<const double> positions) {
        return admissible(files, hardware_values_at(predictor.parameters(), positions));
      },
      std::move(published), predictor.nominal());
}

std::vector<Parameter> parameters_but(std::span<const std::filesystem::path> files,
                                      const std::vector<std::string>& left_alone) {
  std::vector<Parameter> fitted = fitted_parameters(files);
  std::erase_if(fitted, [&](const Parameter& parameter) {
    return std::ranges::find(left_alone, parameter.path()) != left_alone.end();
  });
  return fitted;
}

// The points of one use, as functions of the fitted values.
struct Half {
  Half(const std::vector<PublishedTable>& tables, const Scenario& scenario,
       std::span<const std::filesystem::path> files, Use use, const std::vector<std::string>& left_alone)
      : predictor(asked_for(tables, scenario, files, use), scenario, parameters_but(files, left_alone)),
        chosen(points_for(predictor, use)),
        problem(problem_of(predictor, chosen, files)) {}

  Predictor predictor;
  std::vector<std::size_t> chosen;
  FitProblem problem;
};

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
    calibration.unidentified.push_back(fitted.parameter.path());
    calibration.refused.push_back(fmt::format("{}: its whole range moves no point by more than {:.2f} %",
                                              fitted.parameter.path(), 100 * fitted.reach));
  }
  const SingularValues& singular = calibration.identified;
  if (!calibration.refused.empty() || singular.values.back() >= kLeastChange) return;
  const std::vector<double>& weakest = singular.directions.back();
  const auto most = std::max_element(weakest.begin(), weakest.end(),
                                     [](double a, double b) { return std::abs(a) < std::abs(b); });
  const auto p = static_cast<std::size_t>(most - weakest.begin());
  calibration.unidentified.push_back(calibration.parameters[p].parameter.path());
  calibration.refused.push_back(
      fmt::format("{}: the others make up for it: the weakest combination moves the points by {:.2f} % only",
                  calibration.parameters[p].parameter.path(), 100 * singular.values.back()));
}

std::size_t place_of(const std::string& text, const Mark& mark) {
  std::size_t line = 0;
  for (std::uint32_t i = 1; i < mark.line && line != std::string::npos; ++i) {
    line = text.find('\n', line);
    if (line != std::string::npos) ++line;
  }
  return line == std::string::npos ? text.size() : std::min(text.size(), line + mark.column - 1);
}

void check(const std::string& text, const std::filesystem::path& file, std::span<const NewValue> values) {
  Diagnostics diagnostics;
  const std::vector<SourcedValue> read = sourced_values(Config::parse(text, file.string(), {}, diagnostics));
  diagnostics.throw_if_any();
  for (const NewValue& value : values) {
    const auto found = std::find_if(read.begin(), read.end(), [&](const SourcedValue& known) {
      return known.path == value.stated.path && known.value == value.value;
    });
    if (found != read.end()) continue;
    throw InputError(
        fmt::format("{}: '{}' cannot be written there", value.stated.value_mark.text(), value.value));
  }
}

}  // namespace

bool Calibration::Fitted::at_low_end() const { return position < kAtEnd; }
bool Calibration::Fitted::at_high_end() const { return position > 1 - kAtEnd; }

std::vector<NewValue> Calibration::new_values() const {
  std::vector<NewValue> values;
  for (const Fitted& fitted : parameters) values.push_back({fitted.parameter.stated(), fitted.value});
  return values;
}

Calibration calibrate(std::span<const std::filesystem::path> files, const std::vector<PublishedTable>& tables,
                      const Scenario& scenario, bool fit_only, const std::vector<std::string>& left_alone) {
  const Half half(tables, scenario, files, Use::kCalibration, left_alone);
  const Half held_out(tables, scenario, files, Use::kHeldOut, left_alone);
  const FitProblem::Fit fit = half.problem.fit();

  Calibration calibration;
  calibration.files.assign(files.begin(), files.end());
  fill_parameters(calibration, half.problem, half.predictor, fit);
  calibration.identified = singular_values(half.problem.jacobian(fit.positions));
  find_unidentified(calibration);

  std::vector<double> written;  // positions of the written values, which are rounded
  for (const Calibration::Fitted& fitted : calibration.parameters) written.push_back(fitted.position);
  const std::vector<double> nominal = half.predictor.nominal();
  calibration.objective_before = half.problem.objective(nominal);
  calibration.objective_after = half.problem.objective(written);
  std::vector<double> swapped = written;
  std::vector<double> left_out(half.chosen.size(), 0);
  const bool tested = calibration.refused.empty() && !fit_only, swaps = tested && !held_out.chosen.empty();
  if (tested) {
    if (swaps) swapped = held_out.problem.fit().positions;
    in_parallel(half.chosen.size(), scenario.threads, [&](std::size_t i) {
      left_out[i] = half.problem.values(half.problem.fit_without(i, fit).positions)[i];
    });
  }
  const auto add = [&](const Half& half, bool out) {
    if (half.chosen.empty()) return;
    const std::vector<double> before = half.problem.values(nominal), after = half.problem.values(written);
    const std::vector<double> other =
        swaps ? half.problem.values(swapped) : std::vector<double>(before.size());
    for (std::size_t i = 0; i < half.chosen.size(); ++i) {
      const Predictor::Named& point = half.predictor.points()[half.chosen[i]];
      const double published = point.comparison.reference.value().in(point.comparison.point.unit);
      calibration.points.push_back(
          {point, published, before[i], after[i], out, out ? 0 : left_out[i], other[i]});
    }
    calibration.evaluations += half.problem.evaluations();
  };
  add(half, false);
  add(held_out, true);
  return calibration;
}

Calibration calibrate_what_is_identified(std::span<const std::filesystem::path> files,
                                         const std::vector<PublishedTable>& tables, const Scenario& scenario,
                                         bool fit_only) {
  std::vector<std::string> refused, unidentified;
  const std::size_t all = fitted_parameters(files).size();
  while (unidentified.size() < all) {
    Calibration calibration = calibrate(files, tables, scenario, true, unidentified);
    const bool done = calibration.refused.empty();
    if (done && !fit_only) calibration = calibrate(files, tables, scenario, false, unidentified);
    refused.insert(refused.end(), calibration.refused.begin(), calibration.refused.end());
    unidentified.insert(unidentified.end(), calibration.unidentified.begin(), calibration.unidentified.end());
    if (!done) continue;
    calibration.refused = std::move(refused);
    calibration.unidentified = std::move(unidentified);
    return calibration;
  }
  throw InputError(
      fmt::format("{}: the points identify none of the values that are marked 'fitted: true':\n{}",
                  files.front().string(), fmt::join(refused, "\n")));
}

std::string with_values(const std::filesystem::path& file, std::span<const NewValue> values) {
  std::string text = read_file(file);
  std::vector<NewValue> backwards;
  std::ranges::copy_if(values, std::back_inserter(backwards),
                       [&](const NewValue& value) { return value.stated.value_mark.file == file.string(); });
  std::sort(backwards.begin(), backwards.end(), [&](const NewValue& a, const NewValue& b) {
    return place_of(text, a.stated.value_mark) > place_of(text, b.stated.value_mark);
  });
  for (const NewValue& value : backwards) {
    std::size_t place = place_of(text, value.stated.value_mark);
    if (place < text.size() && (text[place] == '"' || text[place] == '\'')) ++place;
    if (text.compare(place, value.stated.value.size(), value.stated.value) != 0) {
      throw InputError(fmt::format("{}: '{}' does not stand there as it is", value.stated.value_mark.text(),
                                   value.stated.value));
    }
    text.replace(place, value.stated.value.size(), value.value);
  }
  check(text, file, backwards);
  return text;
}

}  // namespace a3sim
