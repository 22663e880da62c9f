#include <fmt/format.h>

#include <filesystem>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/study/calibration/calibration.h"
#include "sim/study/calibration/measurements.h"
#include "sim/study/calibration/remaining_guesses.h"
#include "traces/import/imported.h"

namespace a3sim {
namespace {

struct CalibrateOptions {
  std::vector<std::string> names, set, measured, held_out, called;
  std::filesystem::path points, hardware, output;
  bool dry_run = false, fit_only = false;
  ThreadsOption threads;
  JsonOption json;
};

// CONFIG=RESULT: a profile beside the configuration of what was profiled.
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

// The published tables of these names, and profiles.
std::vector<PublishedTable> tables_of(const CalibrateOptions& options, const std::filesystem::path& hardware,
                                      const Scenario& scenario) {
  const bool all = options.names.empty() && options.measured.empty();
  std::vector<PublishedTable> tables;
  for (const std::string& name : all ? published_tables(scenario.configs) : options.names)
    tables.push_back(read_published_table(scenario.configs, name));
  const auto names = name_map(options.called);
  for (const std::string& text : options.measured)
    tables.push_back(measured_table(profiled_run(text, Use::kCalibration), names, hardware, scenario));
  for (const std::string& text : options.held_out)
    tables.push_back(measured_table(profiled_run(text, Use::kHeldOut), names, hardware, scenario));
  return tables;
}

std::string names_of_open(const std::vector<std::string>& open) {
  return open.empty() ? std::string() : fmt::format("Not measured: {}\n", fmt::join(open, ", "));
}

// Fits to measurements of the user's own device. What they do not identify stays as it is, and is told.
void run_points(const CalibrateOptions& options, const Scenario& scenario,
                const std::filesystem::path& hardware) {
  if (options.output.empty() && !options.dry_run)
    throw InputError("--points: expected -o FILE for the fitted hardware, or --dry-run");
  const PointsFile points = read_points(options.points, hardware, scenario);
  const Calibration calibration =
      calibrate_what_is_identified(hardware, points.tables, scenario, options.fit_only);
  const std::string text = with_values(hardware, calibration.new_values());
  Report report = calibration_report(calibration);
  report.say(names_of_open(points.open), "open");
  add_guesses(remaining_guesses(calibration, scenario), report);
  print_report(report, options.json);
  if (!options.dry_run) write_file_atomically(options.output, text);
}

void run(const CalibrateOptions& options) {
  const Scenario scenario{.overrides = options.set, .threads = options.threads.count};
  const std::filesystem::path hardware =
      options.hardware.empty() ? scenario.configs / "hardware" / "a3.yaml" : options.hardware;
  if (!options.points.empty()) return run_points(options, scenario, hardware);
  const std::vector<PublishedTable> tables = tables_of(options, hardware, scenario);
  const Calibration calibration = calibrate(hardware, tables, scenario, options.fit_only);
  const std::string text = with_values(hardware, calibration.new_values());
  Report report = calibration_report(calibration);
  for (const PublishedTable& table : tables)
    if (table.from_profile) report.say_on(table.notes);
  print_report(report, options.json);
  if (!calibration.refused.empty()) {
    throw RunError(
        "nothing was written: the points do not identify every value that is marked 'fitted: true'");
  }
  // What was fitted under other values than the files' belongs into no file of theirs.
  if (options.dry_run || (options.output.empty() && !options.set.empty())) return;
  write_file_atomically(options.output.empty() ? hardware : options.output, text);
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
  app.add_option("--hardware", options.hardware, "the hardware file; configs/hardware/a3.yaml without it")
      ->type_name("FILE");
  app.add_option("-o,--output", options.output, "write the fitted file there instead")->type_name("FILE");
  app.add_flag("--dry-run", options.dry_run, "write no hardware file");
  app.add_flag("--fit-only", options.fit_only, "fit; leave no point out, and do not swap the halves");
  repeatable(app.add_option("--set", options.set,
                            "override a value of every configuration; repeatable; only -o writes then"),
             "KEY=VALUE");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "calibrate",
               "Fit hardware values to published points or profiles, and tell how well they are known",
               Command(CommandGroup::kReproduce, add_calibrate_options, run));

}  // namespace
}  // namespace a3sim
