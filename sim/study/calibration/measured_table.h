#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/study/published/published_table.h"
#include "sim/study/published/scenario.h"
#include "traces/import/measured.h"

namespace a3sim {

// A profile beside the configuration of what was profiled.
struct ProfiledRun {
  std::string configuration;     // a file
  std::filesystem::path result;  // whose profile
  Measured profile;
  Use use = Use::kCalibration;
};

// The profile as a table: its operators' mean durations are its points. What either side alone has is in the notes.
// `names` maps the profile's to ours. Throws InputError where none of the names is simulated, and where the
// configuration takes no value from `hardware`, so that nothing would change with it.
PublishedTable measured_table(const ProfiledRun& run,
                              const std::map<std::string, std::string, std::less<>>& names,
                              const std::filesystem::path& hardware, const Scenario& scenario);

}  // namespace a3sim
