#include "sim/published/fit/error_bars.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

// Returns the files whose ranges of values determine the error bars.
std::vector<std::filesystem::path> files_of(const Scenario& scenario) {
  return fitted_files(scenario.configs, scenario.configs / "hardware" / "a3.yaml");
}

SensitivityOptions bars_of(const PublishedTable& table, SensitivityOptions options) {
  constexpr std::uint32_t kFew = 20;
  if (table.is_long) {
    options.draws = std::min(options.draws, kFew);
    options.ends = false;
  }
  return options;
}

bool has_bar(const PublishedTable& table, const nlohmann::ordered_json& coordinates) {
  return std::ranges::all_of(table.barred.items(), [&](const auto& item) {
    return coordinates.contains(item.key()) && coordinates[item.key()] == item.value();
  });
}

// Returns the cases that error bars are of.
CaseSelection barred_cases(const PublishedTable& table) {
  CaseSelection wanted;
  if (table.barred.is_null()) return wanted;
  wanted.cases.emplace();
  for (const PublishedCase& one : table.cases)
    if (has_bar(table, one.coordinates)) wanted.cases->push_back(one.coordinates);
  for (const PublishedKernel& one : table.kernels)
    if (has_bar(table, one.coordinates)) wanted.cases->push_back(one.coordinates);
  return wanted;
}

}  // namespace

std::string error_bar_key(const PublishedTable& table, std::vector<Point> points, const Scenario& scenario) {
  std::erase_if(points, [&](const Point& point) { return !has_bar(table, point.coordinates); });
  return interval_key(points, files_of(scenario), bars_of(table, {}));
}

std::string compute_error_bars(const PublishedTable& table, const SensitivityOptions& draws,
                               const Scenario& scenario, Intervals& intervals) {
  const std::vector<std::filesystem::path> files = files_of(scenario);
  Scenario one = scenario;
  one.threads = 1;  // the draws run at the same time
  const Predictor predictor({{table, barred_cases(table)}}, one, ranged_parameters(files));
  const SensitivityOptions options = bars_of(table, draws);
  const Sensitivity result =
      sensitivity([&](std::span<const double> positions) { return predictor.at(positions); },
                  [&](std::span<const double> positions) {
                    return admissible(files, hardware_values_at(predictor.parameters(), positions));
                  },
                  predictor.nominal(), options);
  std::vector<Point> points;
  for (const Predictor::Named& named : predictor.points()) points.push_back(named.comparison.point);
  intervals.set(table.name, predictor, result, interval_key(points, files, options));
  std::vector<Comparison> comparisons;
  for (const Predictor::Named& named : predictor.points()) {
    Comparison& comparison = comparisons.emplace_back(named.comparison);
    comparison.point.more = {{Column::words("moved most by, at the low and the high end"),
                              intervals.movers(table.name, comparison.point)}};
  }
  const ErrorBars bars = [&](const Point& point) { return intervals.bar(table.name, point); };
  return fmt::format("{}\n{}", table.name, comparison_table(comparisons, bars).text());
}

}  // namespace a3sim
