#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/study/published/published_table.h"
#include "sim/study/published/scenario.h"
#include "traces/import/profile.h"

// Measurements of a device, as tables of published values have them: fitted to alike.
namespace a3sim {

// Measurements of a device, each of an experiment with values of its own: what configs/points/ shows.
struct PointsFile {
  std::vector<PublishedTable> tables;  // one for each that was taken
  std::vector<std::string> open;       // names of the others
};

// Whether a table is of measurements, of a profile or a file of points, and not of published values.
bool is_measured(const PublishedTable& table);

// Notes what is wrong. `folder` is the file's.
PointsFile read_points(const Config& root, const std::filesystem::path& folder);
// Of a file, with the machine and the programs of these files, with what each is published for: calibration. Throws InputError
// with all that is wrong, and if no measurement was taken.
PointsFile read_points(const std::filesystem::path& file, std::span<const std::filesystem::path> parts,
                       const Scenario& scenario);

// What lays files of a machine and of programs over an experiment, without those that come with a3sim. A program is laid
// over experiments of the program of its name alone.
std::vector<std::string> overrides_with(std::span<const std::filesystem::path> files,
                                        const std::string& experiment, const Scenario& scenario);

// A profile beside the configuration of what was profiled.
struct ProfiledRun {
  std::string configuration;     // a file
  std::filesystem::path result;  // whose profile
  Profile profile;
  Use use = Use::kCalibration;
};

// The profile as a table: its operators' mean durations are its points. What either side alone has is in the notes.
// `names` maps the profile's to ours. Throws InputError where none of the names is simulated, and where the
// configuration takes no value from `files`, so that nothing would change with it.
PublishedTable measured_table(const ProfiledRun& run,
                              const std::map<std::string, std::string, std::less<>>& names,
                              std::span<const std::filesystem::path> files, const Scenario& scenario);

}  // namespace a3sim
