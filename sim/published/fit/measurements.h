#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/published/published_table.h"
#include "sim/published/scenario.h"
#include "traces/import/profile.h"

// Measurements of a device, as tables that values are fitted to like published ones.
namespace a3sim {

// Measurements of a device, each with its own experiment. configs/points/ has an example.
struct PointsFile {
  std::vector<PublishedTable> tables;  // one for each measurement that was taken
  std::vector<std::string> open;       // names of the measurements that were not taken
};

// True if the table holds measurements (a profile or a file of points) and not published values.
bool is_measured(const PublishedTable& table);

// Notes errors in the configuration's diagnostics. `folder` is the folder of the file.
PointsFile read_points(const Config& root, const std::filesystem::path& folder);
// Reads a file of measurements and lays the files of a machine and of programs over its experiments. All
// points are for calibration. Throws InputError with all that is wrong, and if no measurement was taken.
PointsFile read_points(const std::filesystem::path& file, std::span<const std::filesystem::path> parts,
                       const Scenario& scenario);

// Returns the overrides that lay files of a machine and of programs over an experiment. Files that come
// with a3sim are left out, and so are programs with another name than the experiment's.
std::vector<std::string> overrides_with(std::span<const std::filesystem::path> files,
                                        const std::string& experiment, const Scenario& scenario);

// A profile and the configuration of the run that was profiled.
struct ProfiledRun {
  std::string configuration;     // a file
  std::filesystem::path result;  // the run's result, with the profile
  Profile profile;
  Use use = Use::kCalibration;
};

// Returns the profile as a table whose points are the mean durations of operators. The notes name operators
// that only one side has. `names` maps names of the profile to ours. Throws InputError if no name is
// simulated, or if the configuration takes no value from `files`, so that a fit would change nothing.
PublishedTable measured_table(const ProfiledRun& run,
                              const std::map<std::string, std::string, std::less<>>& names,
                              std::span<const std::filesystem::path> files, const Scenario& scenario);

}  // namespace a3sim
