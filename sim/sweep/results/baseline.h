#pragma once

#include <string>
#include <string_view>

#include "sim/sweep/results/sweep_results.h"

namespace a3sim {

// The name of the metric that add_speed_ups() adds.
inline constexpr const char* kSpeedUp = "speed-up";

// Adds a metric that says how many times as good each point is as the baseline: the point that has
// `baseline`, AXIS=VALUE, and equals it on all other axes. `value` is the compared metric, as
// objective_of() takes it; if less is better, the metric is the baseline's value over the point's. It has
// no value for points without a baseline. Returns its meaning as a sentence. Throws InputError for an
// unknown axis, value or metric.
std::string add_speed_ups(SweepResults& sweep, const std::string& pass, std::string_view baseline,
                          const std::string& value);

}  // namespace a3sim
