#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/study/results/sweep_results.h"

namespace a3sim {

// What follows from a sweep, in sentences with figures: the knee along each numeric axis and what binds on
// either side of it, and which axis matters most. It says 'none', and why, where nothing follows.
struct Conclusion {
  std::string text;
  nlohmann::ordered_json json;
};

Conclusion conclude(const SweepResults& sweep, const std::string& pass, const std::string& metric);

}  // namespace a3sim
