#pragma once

#include <string>

#include "sim/variation/noise.h"

namespace a3sim {

// Returns "B is 1.57 ± 0.02 times faster than A", as hyperfine does: the median ratio under equal draws,
// and half of its 95 % interval. With one run each there is no interval. Empty if the interval holds 1.
std::string times_faster(const std::string& name_a, const Latencies& a, const std::string& name_b,
                         const Latencies& b);

}  // namespace a3sim
