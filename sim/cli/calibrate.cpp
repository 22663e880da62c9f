#include <fmt/format.h>

#include <filesystem>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/published/fit/calibration.h"
#include "sim/published/fit/measurements.h"
#include "sim/published/fit/remaining_guesses.h"
#include "traces/import/imported.h"

namespace a3sim {
namespace {

struct CalibrateOptions {
  std::vector<std::string> names, set, measured, held_out, called;
  std::filesystem::path points, hardware, output;
  std::vector<std::filesystem::path> programs;
  bool dry_run = false, fit_only = false;
  ThreadsOption threads;
  JsonOption json;
};

// Reads CONFIG=RESULT: the configuration of what was profiled, and the profile.
ProfiledRun profiled_run(const std::string& text, Use use) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError(fmt::format("'{}': expected CONFIG=RESULT", text));
  const std::string configuration = text.substr(0, equals), result = text.substr(equals + 1);
  if (!configuration.ends_with(".yaml"))
    throw InputError(fmt::format("'{}': expected a configuration's file, CONFIG.yaml=RESULT", text));
  check_result(result, "import");
  return {configuration, result, read_imported(result), use};
}

// Returns the published tables of these names, and profiles.
std::vector<PublishedTable> tables_of(const CalibrateOptions& options,
                                      std::span<const std::filesystem::path> files,
                                      const Scenario& scenario) {
  const bool all = options.names.empty() && options.measured.empty();
  std::vector<PublishedTable> tables;
  for (const std::string& name : all ? published_tables(scenario.configs) : options.names)
    tables.push_back(read_published_table(scenario.configs, name));
  const auto names = name_map(options.called);
  for (const std::string& text : options.measured)
    tables.push_back(measured_table(profiled_run(text, Use::kCalibration), names, files, scenario));
  for (const std::string& text : options.held_out)
    tables.push_back(measured_table(profiled_run(text, Use::kHeldOut), names, files, scenario));
  return tables;
}

std::string names_of_open(const std::vector<std::string>& open) {
  return open.empty() ? std::string() : fmt::format("Not measured: {}\n", fmt::join(open, ", "));
}

// Returns the files whose values are fitted: those that were named, or a3.yaml and its programs.
std::vector<std::filesystem::path> files_of(const CalibrateOptions& options, const Scenario& scenario) {
  if (options.hardware.empty() && options.programs.empty())
    return fitted_files(scenario.configs, scenario.configs / "hardware" / "a3.yaml");
  std::vector<std::filesystem::path> files;
  if (!options.hardware.empty()) files.push_back(options.hardware);
  files.insert(files.end(), options.programs.begin(), options.programs.end());
  return files;
}

struct WrittenFile {
  std::filesystem::path file;
  std::string text;
};

// Returns the files with their new values, in their places or where -o says. With several files, -o is a
// folder.
std::vector<WrittenFile> written_files(const CalibrateOptions& options, const Calibration& calibration) {
  std::vector<WrittenFile> written;
  for (const std::filesystem::path& file : calibration.files) {
    std::filesystem::path to = options.output.empty() ? file : options.output;
    if (!options.output.empty() && calibration.files.size() > 1) to /= file.filename();
    written.push_back({std::move(to), with_values(file, calibration.new_values())});
  }
  return written;
}

void write(const std::vector<WrittenFile>& files) {
  for (const WrittenFile& file : files) {
    if (file.file.has_parent_path()) std::filesystem::create_directories(file.file.parent_path());
    write_file_atomically(file.file, file.text);
  }
}

// Fits to measurements of the user's own device. Values that these do not determine stay as they are; the
// report names them.
void run_points(const CalibrateOptions& options, const Scenario& scenario,
                std::span<const std::filesystem::path> files) {
  if (options.output.empty() && !options.dry_run)
    throw InputError("--points: expected -o FILE for what is fitted, or --dry-run");
  const PointsFile points = read_points(options.points, files, scenario);
  const Calibration calibration =
      calibrate_what_is_identified(files, points.tables, scenario, options.fit_only);
  const std::vector<WrittenFile> written = written_files(options, calibration);
  Report report = calibration_report(calibration);
  report.say(names_of_open(points.open), "open");
  add_guesses(remaining_guesses(calibration, scenario), report);
  print_report(report, options.json);
  if (!options.dry_run) write(written);
}

void run(const CalibrateOptions& options) {
  const Scenario scenario{.overrides = options.set, .threads = options.threads.count};
  const std::vector<std::filesystem::path> files = files_of(options, scenario);
  if (!options.points.empty()) return run_points(options, scenario, files);
  const std::vector<PublishedTable> tables = tables_of(options, files, scenario);
  const Calibration calibration = calibrate(files, tables, scenario, options.fit_only);
  const std::vector<WrittenFile> written = written_files(options, calibration);
  Report report = calibration_report(calibration);
  for (const PublishedTable& table : tables)
    if (table.from_profile) report.say_on(table.notes);
  print_report(report, options.json);
  if (!calibration.refused.empty()) {
    throw RunError(
        "nothing was written: the points do not identify every value that is marked 'fitted: true'");
  }
  // Values fitted while other values were overridden do not belong in the files.
  if (options.dry_run || (options.output.empty() && !options.set.empty())) return;
  write(written);
}

void add_calibrate_options(CLI::App& app, CalibrateOptions& options) {
  app.add_option("NAME", options.names, "experiments to fit to; all without one");
  repeatable(
      app.add_option("--measured", options.measured,
                     "fit to the operators of this profile, of what the configuration runs; repeatable"),
      "CONFIG=RESULT");
  repeatable(app.add_option("--held-out", options.held_out, "test the fit on this one; repeatable"),
             "CONFIG=RESULT");
  app.add_option("--points", options.points,
                 "fit to the measurements in this file ('a3sim config init points')")
      ->type_name("FILE")
      ->excludes("NAME")
      ->excludes("--measured")
      ->excludes("--held-out");
  add_names(app, options.called);
  app.add_option(
         "--hardware", options.hardware,
         "fit values of this machine; without it and --program, of configs/hardware/a3.yaml and its programs")
      ->type_name("FILE");
  repeatable(app.add_option("--program", options.programs, "fit values of this program; repeatable"), "FILE");
  app.add_option("-o,--output", options.output,
                 "write the fitted file there instead; of several files, into this folder")
      ->type_name("FILE");
  app.add_flag("--dry-run", options.dry_run, "write no file");
  app.add_flag("--fit-only", options.fit_only, "fit; leave no point out, and do not swap the halves");
  repeatable(app.add_option("--set", options.set,
                            "override a value of every configuration; repeatable; only -o writes then"),
             "KEY=VALUE");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "calibrate",
               "Fit values of a machine and its programs to published points or profiles, and tell how well "
               "they are known",
               Command(CommandGroup::kReproduce, add_calibrate_options, run));

}  // namespace
}  // namespace a3sim
