#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/study/explore/what_if.h"

namespace a3sim {
namespace {

struct WhatifOptions {
  ConfigOption config;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

void run(const WhatifOptions& options) {
  const Experiment experiment = options.config.load();
  const WhatIf result = what_if(experiment, options.jitter.options, options.threads.count);
  print_report(what_if_report(experiment, result, options.jitter.options), options.json);
}

void add_whatif_options(CLI::App& app, WhatifOptions& options) {
  options.config.add_to(app);
  options.jitter.add_to(app);
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "explain --whatif", "Make each part of the machine better: what binds?",
               Command(add_whatif_options, run));

}  // namespace
}  // namespace a3sim
