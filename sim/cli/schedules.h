#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/ssc.h"

namespace a3sim {

struct NamedSchedule {
  std::string name;  // the graph's
  Schedule schedule;
};

// Opens compiled schedules: `.ssc` and `.ssc.txt` files, and directories that hold them, put together by
// graph. Throws InputError for a file that is broken, a rank that is missing or there twice.
std::vector<NamedSchedule> open_schedules(std::span<const std::string> paths);

// The schedules that an argument means: compiled ones, or those of a configuration (YAML) with its overrides.
std::vector<NamedSchedule> schedules_of(std::span<const std::string> arguments,
                                        std::span<const std::string> set);

}  // namespace a3sim
