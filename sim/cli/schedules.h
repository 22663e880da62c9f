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
  std::string name;  // the graph's
  Schedule schedule;
  std::optional<Splits> splits;  // if it was compiled just now
};

// Opens compiled schedules: `.ssc` and `.ssc.txt` files, and directories that hold them, put together by
// graph. Throws InputError for a file that is broken, a rank that is missing or there twice.
std::vector<NamedSchedule> open_schedules(std::span<const std::string> paths);

// `CONFIG|SSC...` with what may be laid over a configuration, as every command that takes schedules has them.
struct ScheduleOption : OverrideOptions {
  std::vector<std::string> arguments;
  void add_to(CLI::App& app);
  // Whether the arguments are compiled schedules, or directories of them.
  bool are_schedules() const;
  // Whether they are compiled schedules. Throws InputError where they are neither these nor one configuration.
  bool compiled() const;
  // The experiment of the configuration.
  Experiment experiment() const;
  // Calls `visit` for each schedule that the arguments mean: compiled ones, or those of a configuration with its
  // overrides, of which the next is compiled after the call: they need not all be in memory.
  void each(const std::function<void(const NamedSchedule&)>& visit) const;
  // All of them.
  std::vector<NamedSchedule> load() const;
};

}  // namespace a3sim
