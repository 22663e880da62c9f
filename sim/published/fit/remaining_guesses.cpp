#include "sim/published/fit/remaining_guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/published/fit/measurements.h"
#include "sim/variation/difference_table.h"

namespace a3sim {
namespace {

constexpr const char* kLayerOfGuesses = "ep4";
constexpr double kToldOf = 0.0005;

Experiment layer_with(const Scenario& scenario, std::span<const std::filesystem::path> files, bool kernels) {
  std::vector<std::string> overrides = overrides_with(files, kLayerOfGuesses, scenario);
  if (kernels)
    overrides.insert(overrides.end(), {"experiment.execution=kernel", "experiment.communication=collective"});
  return scenario.load(kLayerOfGuesses, overrides);
}

// Fills in what either end of each range makes of the layer, as tiles (0) or kernel by kernel (1). Values that the layer takes
// from elsewhere change nothing.
void vary(const Experiment& layer, std::size_t way, unsigned threads, std::vector<Guess>& guesses) {
  const std::vector<Parameter> own = ranged_parameters(layer);
  std::vector<Variation> variations;
  std::vector<double*> changes;
  for (Guess& guess : guesses) {
    const auto here = std::ranges::find_if(own, [&](const Parameter& parameter) {
      return parameter.stated().mark.text() == guess.parameter.stated().mark.text();
    });
    if (here == own.end()) continue;
    const RangeEnds ends = ends_of(*here, layer);
    for (const auto& [end, change] : {std::pair(&ends.low, &guess.low), std::pair(&ends.high, &guess.high)}) {
      variations.push_back({*end, {set_text(here->path(), *end)}});
      changes.push_back(&(*change)[way]);
    }
  }
  const DifferenceTable table = differences(
      {layer, nullptr}, variations, {.jitter = JitterOptions::none(), .threads = threads, .hold = false});
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Difference& row = table.rows[i];
    if (!row.ran()) throw RunError(row.refused);
    *changes[i] = table.relative(row).median;
  }
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
  for (const bool kernels : {false, true})
    vary(layer_with(fitted, calibration.files, kernels), kernels ? 1 : 0, scenario.threads, guesses);
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
