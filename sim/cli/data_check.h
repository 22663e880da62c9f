#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/schedules.h"
#include "traces/report/report.h"

namespace a3sim {

// The findings of a check. They are printed as they come, unless stdout is for a program.
class Checked {
 public:
  explicit Checked(const JsonOption& json) : json_(json) { report_.fact("schema_version", 1); }

  // Adds a part of the result, and faults, one line each.
  void add(const std::string& key, Report part, const std::string& faults);
  // Parts that follow one another have an empty line between them.
  void set_apart() { gap_ = "\n"; }
  // Writes what the options ask for. Throws RunError if there are faults.
  void end();

 private:
  const JsonOption& json_;
  Report report_;
  std::string faults_, gap_;
  bool any_ = false;
};

// Returns the first faults, a line each, and says how many more there are, since one mistake may show at every task.
std::string faults_text(const std::string& name, const std::vector<std::string>& errors);

// Returns the path of the configuration that schedules were compiled from, which stands in their folder. The file may be missing.
std::filesystem::path configuration_beside(const std::string& schedules);

// The options of `check --data`.
struct DataCheckOptions {
  bool data = false, full = false, orders = false, executions = false;
  std::uint64_t seed = 1;
  std::string memory, adversary, drop_wait;

  void add_to(CLI::App& app);
  // Checks the data of a configuration. Throws InputError for options that exclude each other or a shape that does not fit
  // in memory.
  void check(const ScheduleOption& schedules, Checked& checked) const;
};

}  // namespace a3sim
