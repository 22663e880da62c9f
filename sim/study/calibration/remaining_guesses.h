#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "sim/study/calibration/calibration.h"
#include "traces/report/report.h"

namespace a3sim {

// A value of a hardware file that is known within a range only, and was not fitted.
struct Guess {
  Parameter parameter;
  // What the ends of its range make of a layer's latency, as parts of it: as tiles, and kernel by kernel.
  std::array<double, 2> low{}, high{};
  double most() const;  // of these, without its sign
};

// All of them, the one that moves the layer most first: configs/experiments/ep4.yaml, forward and backward, with what
// was fitted. An end that the hardware's reader refuses is the last that it takes on the way there.
std::vector<Guess> remaining_guesses(const Calibration& calibration, const Scenario& scenario);

void add_guesses(const std::vector<Guess>& guesses, Report& report);

}  // namespace a3sim
