#include <fmt/format.h>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_progress.h"
#include "sim/diagnosis/jobs/monitor.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/portable_config.h"

namespace a3sim {
namespace {

struct MonitorCommandOptions {
  std::string file, inject, directory, recording = "next";
  std::vector<std::string> set;
  std::uint32_t steps = MonitorOptions{}.steps;
  ThreadsOption threads;
  JsonOption json;
};

std::string faults() {
  std::string text;
  for (const auto& [name, item] : FaultKinds::all())
    text += fmt::format("  {:<9} {}\n            {}\n", name, item.description, item.object->example);
  return text;
}

void run(const MonitorCommandOptions& options) {
  const JobSpec spec = load_job(options.file, options.set, options.inject);
  MonitorOptions how;
  how.steps = options.steps;
  how.threads = options.threads.count;
  how.limits = read_locate_limits(configs_folder() / kLocateFile);
  constexpr auto kNames = kNamesOf<Recording>;
  how.recording = static_cast<Recording>(std::ranges::find(kNames, options.recording) - std::begin(kNames));
  ConfigOption config_of_run;
  config_of_run.file = options.file;
  config_of_run.set = options.set;
  announce_run(config_of_run, spec.experiment, options.steps, options.recording == "full");
  ResultDirectory directory(options.directory, "monitor");
  const PortableConfig config = portable(spec.experiment);
  directory.add("resolved.yaml", config.resolved);
  for (const auto& [name, contents] : config.files) directory.add(name, contents);
  const MonitorSummary summary = monitor(
      spec, how, [&](std::string_view name, std::string_view contents) { directory.add(name, contents); });
  directory.commit();
  print_report(monitor_report(spec, summary), options.json);
}

void add_monitor_options(CLI::App& app, MonitorCommandOptions& options) {
  constexpr std::uint32_t kMostSteps = 1'000'000;
  CLI::Option_group* const which = app.add_option_group("what runs", "What runs, one of");
  take_shipped_too(which->add_option("CONFIG", options.file, "experiment (YAML), or a shipped one: ep8"),
                   "experiments");
  which->add_option("--hf", options.file, "a model's HuggingFace config.json, its experts run as ep8.yaml is")
      ->type_name("FILE");
  which->require_option(1);
  repeatable(app.add_option("--set", options.set, "override a value: path.to.key=value; repeatable"),
             "KEY=VALUE");
  app.add_option("--steps", options.steps, "number of steps (default: 60)")
      ->check(CLI::Range(1U, kMostSteps));
  take_shipped_too(app.add_option("--inject", options.inject,
                                  "a file with more 'noise' and 'faults', or a shipped one: clock")
                       ->type_name("FILE"),
                   "faults");
  app.add_option(
         "--record", options.recording,
         "steps recorded in full: none (light), the three after a slow one (next, the default), the slow "
         "one itself (same), all (full)")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kNamesOf<Recording>), std::end(kNamesOf<Recording>))));
  app.add_option("-o,--output", options.directory, "where the records are written")
      ->type_name("DIR")
      ->required();
  options.threads.add_to(app);
  options.json.add_to(app);
  app.footer(help_of("run --steps", faults()));
}

A3SIM_REGISTER(Command, "run --steps", "Run many steps of a job with hosts and faults, and record them",
               Command(add_monitor_options, run));

}  // namespace
}  // namespace a3sim
