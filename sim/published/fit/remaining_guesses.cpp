#include "sim/published/fit/remaining_guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/parallel.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/fit/measurements.h"
#include "sim/published/fit/sensitivity.h"

namespace a3sim {
namespace {

constexpr const char* kLayerOfGuesses = "ep4";
constexpr std::size_t kEnds = 2;
constexpr double kToldOf = 0.0005;

double latency_with(const Scenario& scenario, std::span<const std::filesystem::path> files, bool kernels) {
  std::vector<std::string> overrides = overrides_with(files, kLayerOfGuesses, scenario);
  if (kernels)
    overrides.insert(overrides.end(), {"experiment.execution=kernel", "experiment.communication=collective"});
  const Experiment experiment = scenario.load(kLayerOfGuesses, overrides);
  return seconds(total_of(run_experiment(experiment, false, backend_in_threads(experiment))));
}

}  // namespace

double Guess::most() const {
  double most = 0;
  for (std::size_t way = 0; way < low.size(); ++way)
    most = std::max({most, std::abs(low[way]), std::abs(high[way])});
  return most;
}

std::vector<Guess> remaining_guesses(const Calibration& calibration, const Scenario& scenario) {
  Scenario fitted = scenario;
  for (const Calibration::Fitted& value : calibration.parameters)
    fitted.hardware_values.push_back(
        {value.parameter.path(), value.value, value.parameter.stated().mark.file});
  std::vector<Guess> guesses;
  for (Parameter& parameter : ranged_parameters(calibration.files)) {
    if (std::ranges::none_of(calibration.parameters,
                             [&](const auto& known) { return known.parameter.path() == parameter.path(); }))
      guesses.push_back({std::move(parameter)});
  }
  const double nominal[] = {latency_with(fitted, calibration.files, false),
                            latency_with(fitted, calibration.files, true)};
  in_parallel(kEnds * guesses.size(), scenario.threads, [&](std::size_t i) {
    Guess& guess = guesses[i / kEnds];
    const std::span<const Parameter> alone(&guess.parameter, 1);
    const auto takes = [&](std::span<const double> position) {
      return admissible(calibration.files, hardware_values_at(alone, position));
    };
    const double from[] = {guess.parameter.nominal()};
    const bool high = i % kEnds == 1;
    Scenario moved = fitted;
    for (Scenario::HardwareValue& value :
         hardware_values_at(alone, last_admissible(from, {high ? 1.0 : 0.0}, takes)))
      moved.hardware_values.push_back(std::move(value));
    for (std::size_t way = 0; way < guess.low.size(); ++way)
      (high ? guess.high : guess.low)[way] =
          latency_with(moved, calibration.files, way == 1) / nominal[way] - 1;
  });
  std::ranges::stable_sort(guesses, std::greater{}, &Guess::most);
  return guesses;
}

void add_guesses(const std::vector<Guess>& guesses, Report& report) {
  report.say(
      "What stays a guess, and what either end of its range makes of a layer's latency "
      "(configs/experiments/ep4.yaml, forward\n"
      "and backward), as tiles and kernel by kernel:\n");
  Table& table =
      report.table("guesses", {Column::words("value of machine or program", "parameter"),
                               Column::words("now", "value"), Column::words("low"), Column::words("high"),
                               Column::signed_percent("tiles, low", "tiles_at_low"),
                               Column::signed_percent("tiles, high", "tiles_at_high"),
                               Column::signed_percent("kernels, low", "kernels_at_low"),
                               Column::signed_percent("kernels, high", "kernels_at_high")});
  std::string others;
  for (const Guess& guess : guesses) {
    const SourcedValue& stated = guess.parameter.stated();
    if (guess.most() < kToldOf) {
      others += fmt::format("{}{}", others.empty() ? "" : ", ", stated.path);
      continue;
    }
    table.add({stated.path, stated.value, stated.low, stated.high, guess.low[0], guess.high[0], guess.low[1],
               guess.high[1]});
  }
  if (!others.empty())
    report.say(fmt::format("Less than {} % move it: {}\n", 100 * kToldOf, others), "without_effect");
}

}  // namespace a3sim
