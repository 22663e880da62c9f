#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/published/fit/calibration.h"

namespace a3sim {
namespace {

std::string end_of(const Calibration::Fitted& fitted) {
  if (fitted.at_low_end()) return "low";
  return fitted.at_high_end() ? "high" : "";
}

void add_parameters(const Calibration& calibration, Report& report) {
  Table& table = report.table_on(
      "parameters", {Column::words("parameter"), Column::words("start"), Column::words("fitted"),
                     Column::words("low"), Column::words("high"), Column::words("at end", "at_end"),
                     Column::percent("moves a point by", "reach")});
  for (const Calibration::Fitted& fitted : calibration.parameters) {
    const SourcedValue& stated = fitted.parameter.stated();
    table.add(
        {stated.path, stated.value, fitted.value, stated.low, stated.high, end_of(fitted), fitted.reach});
  }
}

// Adds each direction's singular value and its components by parameter.
void add_directions(const Calibration& calibration, Report& report) {
  const auto& [values, directions] = calibration.identified;
  std::string lengths, weakest;
  std::vector<Column> columns{Column::number("singular value", "singular_value", 4)};
  for (std::size_t p = 0; p < calibration.parameters.size(); ++p) {
    const std::string& path = calibration.parameters[p].parameter.path();
    lengths += fmt::format(" {:.4f}", values[p]);
    weakest += fmt::format("{}{:+.2f} {}", p == 0 ? "" : ", ", directions.back()[p], path);
    columns.push_back(Column::number(path, "", 2));
  }
  report.say(
      fmt::format("Singular values of the points' logarithms by positions in the ranges:{}\n"
                  "The weakest direction: {}\n",
                  lengths, weakest));
  Table& table = report.table("directions", columns, Audience::kPrograms);
  for (std::size_t d = 0; d < directions.size(); ++d) {
    std::vector<Cell> cells{values[d]};
    cells.insert(cells.end(), directions[d].begin(), directions[d].end());
    table.add(std::move(cells));
  }
}

void add_points(const Calibration& calibration, Report& report) {
  Table& table =
      report.table("points", {Column::words("experiment"), Column::words("case"), Column::words("metric"),
                              Column::words("published").for_people(), Column::words("unit").for_programs(),
                              Column::number("published", "", 4).for_programs(), Column::words("use"),
                              Column::signed_percent("before", "before_error"),
                              Column::signed_percent("fitted", "fitted_error"),
                              Column::signed_percent("left out", "left_out_error"),
                              Column::signed_percent("swapped", "swapped_error")});
  for (const Calibration::Fit& fit : calibration.points) {
    const Point& point = fit.point.comparison.point;
    const auto off = [&](double predicted) { return Cell(predicted / fit.published - 1); };
    table.add({fit.point.experiment, text_of_all(point.coordinates), point.metric,
               fmt::format("{} {}", significant(fit.published), point.unit), point.unit, fit.published,
               std::string(name_of(fit.held_out ? Use::kHeldOut : Use::kCalibration)), off(fit.before),
               off(fit.after), fit.left_out > 0 ? off(fit.left_out) : Cell(),
               fit.swapped > 0 ? off(fit.swapped) : Cell()});
  }
}

// Returns the root mean square of the logarithms, in percent.
double mean_error(double objective, std::size_t points) {
  return 100 * std::sqrt(objective / static_cast<double>(points));
}

// Returns mean and largest error of one half, under its own fit or the other half's.
std::string errors_of(const Calibration& calibration, bool held_out, double Calibration::Fit::* predicted) {
  double sum = 0, worst = 0;
  std::size_t count = 0;
  for (const Calibration::Fit& fit : calibration.points) {
    if (fit.held_out != held_out || !(fit.*predicted > 0)) continue;
    const double error = std::abs(fit.*predicted / fit.published - 1);
    sum += error;
    worst = std::max(worst, error);
    ++count;
  }
  if (count == 0) return "-";
  return fmt::format("mean {:.1f} %, worst {:.1f} %", 100 * sum / static_cast<double>(count), 100 * worst);
}

void say_errors(const Calibration& calibration, Report& report) {
  using Fit = Calibration::Fit;
  std::string text;
  const auto say = [&](std::string_view what, bool held_out, double Fit::* predicted) {
    text += fmt::format("{}: {}\n", what, errors_of(calibration, held_out, predicted));
  };
  say("Points that are fitted to", false, &Fit::after);
  say("Each of them, fitted to the others", false, &Fit::left_out);
  if (std::ranges::any_of(calibration.points, &Fit::held_out)) {
    say("Points that are held out", true, &Fit::after);
    say("Swapped, fitted to those that are held out", true, &Fit::swapped);
    say("Swapped, predicted of the others", false, &Fit::swapped);
  }
  report.say(text, "errors");
}

}  // namespace

Report calibration_report(const Calibration& calibration) {
  Report report;
  report.fact("objective_before", calibration.objective_before);
  report.fact("objective_after", calibration.objective_after);
  std::string files;
  for (const std::filesystem::path& file : calibration.files) files += file.string() + '\n';
  report.say(files, "files");
  add_parameters(calibration, report);
  add_directions(calibration, report);
  add_points(calibration, report);
  const auto fitted_to =
      static_cast<std::size_t>(std::ranges::count(calibration.points, false, &Calibration::Fit::held_out));
  report.say(fmt::format(
      "Root of the mean squared error: {:.2f} % before, {:.2f} % fitted; {} runs of all points.\n"
      "'left out' is the error of a fit to all other points that are fitted to, 'swapped' that of a fit to\n"
      "those that are held out.\n",
      mean_error(calibration.objective_before, fitted_to), mean_error(calibration.objective_after, fitted_to),
      calibration.evaluations));
  say_errors(calibration, report);
  std::string refused;
  for (const std::string& why : calibration.refused) refused += fmt::format("Not identified: {}\n", why);
  if (!refused.empty()) report.say_on(refused, "refused");
  return report;
}

}  // namespace a3sim
