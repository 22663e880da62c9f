#pragma once

#include <string>

#include "sim/study/faults/fault.h"

namespace a3sim {

// The injected faults and noise, as JSON: for who judges advice, never for who gives it.
std::string truth_json(const Injection& injection, std::uint32_t steps);

}  // namespace a3sim
