#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/core/units.h"

namespace a3sim {

// `time` in milliseconds, as reports print it: "10.204".
inline std::string in_milliseconds(Duration time) { return fmt::format("{:.3f}", milliseconds(time)); }

}  // namespace a3sim
