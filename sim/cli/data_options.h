#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/cli/schedules.h"

namespace a3sim {

// `check --data` and what goes with it.
struct DataOptions {
  bool data = false, full = false, orders = false, executions = false;
  std::uint64_t seed = 1;
  std::string memory, adversary, drop_wait;

  void add_to(CLI::App& app);
  // Checks the data of a configuration and prints what came out. Throws RunError with all that is wrong,
  // InputError for options that do not go together or a shape that does not fit in memory.
  void check(const ScheduleOption& schedules) const;
};

}  // namespace a3sim
