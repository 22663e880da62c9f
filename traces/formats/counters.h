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
  double limit = 0;  // what the machine allows at most, in the same unit; 0: not known
  std::vector<std::optional<double>> means;
};

// Returns the counters of each rank, the same for all: rates of the HBM, of reads through the L2 and of the
// ports, hit rate, running workers, and tasks that could run. Spreads a task's bytes evenly over its time, and
// moves what a rank would then send beyond its ports' rate to the next time at which they have room: a put
// that shared a port at first was slower then.
std::vector<std::vector<Counter>> counters_of(const Causes& causes, Duration stretch);

}  // namespace a3sim
