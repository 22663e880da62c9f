#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "sim/published/fit/calibration.h"
#include "traces/report/report.h"

namespace a3sim {

// A hardware value that is known only within a range and was not fitted.
struct Guess {
  Parameter parameter;
  // The relative change of a layer's latency at each end of the range, with tiles and kernel by kernel.
  std::array<double, 2> low{}, high{};
  double most() const;  // the largest of these changes, without its sign
};

// Returns all guesses, those that move the layer most first. The layer is configs/experiments/ep4.yaml,
// forward and backward, with the fitted values. If the hardware's reader refuses an end, the last value
// before it that it accepts is used.
std::vector<Guess> remaining_guesses(const Calibration& calibration, const Scenario& scenario);

void add_guesses(const std::vector<Guess>& guesses, Report& report);

}  // namespace a3sim
