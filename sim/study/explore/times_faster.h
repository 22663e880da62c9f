#pragma once

#include <string>

#include "sim/study/explore/noise.h"

namespace a3sim {

// "B is 1.57 ± 0.02 times faster than A", as hyperfine says it: the median of the ratios under equal draws, and half of its 95 %
// interval; of one run each without that. Empty where the interval holds 1.
std::string times_faster(const std::string& name_a, const Latencies& a, const std::string& name_b,
                         const Latencies& b);

}  // namespace a3sim
