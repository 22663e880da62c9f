#include <fmt/format.h>

#include <iostream>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_progress.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/experiment/run/compiled.h"

namespace a3sim {
namespace {

struct CompileCommandOptions {
  ConfigOption config;
  std::string directory;
  bool text = false;
};

void compile_into(const CompileCommandOptions& options, const Experiment& experiment) {
  const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
  ResultDirectory directory(options.directory, "compile");
  directory.add("resolved.yaml", experiment.resolved);
  for (const Pass& pass : experiment.passes) {
    const Schedule schedule = compile_pass(experiment, pass, capacity).schedule;
    std::size_t tasks = 0, bytes = 0;
    for (const Ssc& ssc : schedule) {
      const std::string stem = fmt::format("{}_rank_{:04}", pass.name, index(ssc.rank()));
      if (options.text) {
        directory.add(stem + ".ssc.txt", ssc.to_text());
      } else {
        directory.add(stem + ".ssc", ssc.file_contents());
      }
      tasks += ssc.tasks().size();
      bytes += ssc.bytes().size();
    }
    std::cout << fmt::format("{}: {} ranks, {} tasks, {:.1f} MB\n", pass.name, schedule.size(), tasks,
                             static_cast<double>(bytes) * 1e-6);
  }
  directory.commit();
}

void compile_all(const CompileCommandOptions& options) {
  const Experiment experiment = options.config.load();
  refuse_beyond_memory(experiment);
  name_stated_numbers(experiment, [&] { compile_into(options, experiment); });
}

void add_compile_options(CLI::App& app, CompileCommandOptions& options) {
  options.config.add_to(app);
  app.add_option("-o,--output", options.directory, "where the schedules go")->type_name("DIR")->required();
  app.add_flag("--text", options.text, "write the text form instead");
}

A3SIM_REGISTER(Command, "schedule compile",
               "Compile an experiment into static schedules (SSC), one file per rank",
               Command(add_compile_options, compile_all));

}  // namespace
}  // namespace a3sim
