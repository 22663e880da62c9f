#pragma once

#include <string_view>

#include "sim/core/config/config.h"

namespace a3sim {

// Reads a share such as "2 %" (0.02), from 0 to `most`.
double read_share(const Config& config, std::string_view key, double most, double fallback);

}  // namespace a3sim
