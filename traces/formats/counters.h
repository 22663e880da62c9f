#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/causes.h"

namespace a3sim {

// A quantity of one rank over time: its mean in each of equal stretches, or nothing where it has none.
struct Counter {
  std::string name;
  std::string_view unit;
  std::vector<std::optional<double>> means;
};

// By rank, the same counters of each: rates of the HBM, of reads through the L2 and of its ports, hit rate, running
// workers and tasks that could run. A task's bytes are spread evenly over its time.
std::vector<std::vector<Counter>> counters_of(const Causes& causes, Duration stretch);

}  // namespace a3sim
