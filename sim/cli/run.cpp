#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "scheduler/verify/verify.h"
#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/kept_run.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_progress.h"
#include "sim/cli/schedules.h"
#include "sim/compare/runs/replay.h"
#include "sim/core/error.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/result/report.h"

namespace a3sim {
namespace {

struct RunCommandOptions {
  ConfigOption config;
  std::string directory, ssc;
  std::vector<std::string> routings;
  bool trace = false;
  ThreadsOption threads;
  JsonOption json;
};

// Throws for schedules that `check` refuses, because no hardware could run them.
void refuse_unsound(const NamedSchedule& named, const std::string& path) {
  const std::vector<std::string> errors = verify(named.schedule).errors;
  if (errors.empty()) return;
  throw InputError(fmt::format("{}: {}: {}{}; 'a3sim check {}' says all", path, named.name, errors.front(),
                               errors.size() > 1 ? fmt::format(", and {} more", errors.size() - 1) : "",
                               path));
}

// Runs one schedule under many routings: those of the files, or else the experiment's own.
void replay_schedules(const RunCommandOptions& options) {
  if (!options.directory.empty() || options.trace)
    throw InputError(
        "-o and --trace keep the run of a configuration; with --ssc, --json FILE keeps the table");
  const Experiment experiment = options.config.load();
  std::vector<CompiledPass> compiled;
  const std::vector<std::string> paths{options.ssc};
  for (NamedSchedule& named : open_schedules(paths)) {
    refuse_unsound(named, options.ssc);
    compiled.push_back({std::move(named.name), std::move(named.schedule)});
  }
  std::vector<NamedRouting> routings;
  for (const std::string& file : options.routings) {
    RoutingSpec spec;
    spec.kind = "file";
    spec.file = file;
    routings.push_back({std::filesystem::path(file).filename().string(), route(spec, experiment.shape)});
  }
  if (routings.empty()) routings.push_back({experiment.routing.kind, routing_of(experiment)});
  const std::vector<Replayed> results = replay(experiment, compiled, routings, options.threads.count);
  print_report(replay_report(results), options.json);
}

void simulate(const Experiment& experiment, const RunCommandOptions& options) {
  const InterruptsHeeded heeded;
  std::optional<RunProgress> progress(std::in_place, simulated_ranks(experiment));
  const unsigned threads = options.threads.count;
  const std::shared_ptr<const PreparedWork> work = experiment.work->prepare(experiment, threads);
  const bool page_alone = !options.json.given && !options.json.csv && options.directory.empty();
  const Record record = page_alone && !experiment.work->tells_passes() ? Record::kLatency : Record::kTrace;
  const std::vector<RunOutcome> passes = work->run_all(experiment, record, threads);
  const RunSummary summary = run_summary(experiment, *work, passes);
  if (!options.directory.empty()) keep_run(experiment, options.directory, summary, passes, options.trace);
  progress.reset();  // ends its line before the page is printed
  print_result(summary.text, summary.json, options.json);
}

void run(const RunCommandOptions& options) {
  if (!options.ssc.empty()) return replay_schedules(options);
  if (!options.routings.empty())
    throw InputError("--routing goes with --ssc: the schedules that run under it");
  if (options.trace && options.directory.empty())
    throw InputError("--trace goes with -o DIR: where each task is written");
  refuse_file_names(options.directory);
  if (!options.directory.empty() && !options.trace) refuse_to_lose_tasks(options.directory);
  const Experiment experiment = options.config.load();
  announce_run(options.config, experiment, 1, options.trace);
  name_stated_numbers(experiment, [&] { simulate(experiment, options); });
}

void add_run_options(CLI::App& app, RunCommandOptions& options) {
  options.config.add_to(app);
  app.add_option(
         "-o,--output", options.directory,
         "write a result directory: resolved configuration, summary, JSON with sums by operator and rank")
      ->type_name("DIR");
  app.add_flag("--trace", options.trace, "with -o: every task too, as explain, compare and export need it");
  app.add_option("--ssc", options.ssc, "run these compiled schedules instead, and compare with recompiling")
      ->type_name("DIR");
  app.add_option("--routing", options.routings, "with --ssc: CSVs of counts, a routing each")
      ->type_name("FILE");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "run", "Compile an experiment and run it",
               Command(CommandGroup::kSimulate, add_run_options, run));

}  // namespace
}  // namespace a3sim
