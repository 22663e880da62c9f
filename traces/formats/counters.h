#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/causes.h"

namespace a3sim {

// A quantity of one rank over time: its mean in each of equal stretches, or nothing if it has none.
struct Counter {
  std::string name;
  std::string_view unit;
  std::vector<std::optional<double>> means;
};

// Returns the counters of each rank, the same for all: rates of the HBM, of reads through the L2 and of the
// ports, hit rate, running workers, and tasks that could run. Spreads a task's bytes evenly over its time.
std::vector<std::vector<Counter>> counters_of(const Causes& causes, Duration stretch);

}  // namespace a3sim
