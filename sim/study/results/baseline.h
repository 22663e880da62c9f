#pragma once

#include <string>
#include <string_view>

#include "sim/study/results/sweep_results.h"

namespace a3sim {

// The name of the metric that add_speed_ups() adds.
inline constexpr const char* kSpeedUp = "speed-up";

// Adds a metric that says how many times as good each point is as the baseline: the point that equals it on all other
// axes and has `baseline`, AXIS=VALUE, on this one. `value` is what points are compared by, as objective_of() takes it:
// where less is better, the baseline's value over the point's. None where there is no such point. Returns what the
// metric means, as a sentence. Throws InputError for an unknown axis, value or metric.
std::string add_speed_ups(SweepResults& sweep, const std::string& pass, std::string_view baseline,
                          const std::string& value);

}  // namespace a3sim
