#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/compile/compile.h"
#include "sim/cli/config_option.h"

namespace a3sim {

struct NamedSchedule {
  std::string name;  // name of the graph
  Schedule schedule;
  std::optional<Splits> splits;  // only if it was just compiled
};

// Opens compiled schedules: `.ssc` and `.ssc.txt` files, and directories that hold them, grouped by graph.
// Throws InputError for a broken file, and for a rank that is missing or present twice.
std::vector<NamedSchedule> open_schedules(std::span<const std::string> paths);

// The argument `CONFIG|SSC...` with the overrides of a configuration, for every command that takes schedules.
struct ScheduleOption : OverrideOptions {
  std::vector<std::string> arguments;
  std::string model;  // --hf; arguments then hold it
  void add_to(CLI::App& app);
  // Returns whether all arguments are compiled schedules, or directories.
  bool are_schedules() const;
  // Returns the same. Throws InputError unless the arguments are either compiled schedules without overrides,
  // or one configuration.
  bool compiled() const;
  // Returns the experiment of the configuration.
  Experiment experiment() const;
  // Calls `visit` for each schedule: the compiled ones, or those of the configuration with its overrides.
  // Compiles one after another, so that they need not all be in memory.
  void each(const std::function<void(const NamedSchedule&)>& visit) const;
  // Returns all of them.
  std::vector<NamedSchedule> load() const;
};

}  // namespace a3sim
