#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/run_progress.h"
#include "sim/compare/runs/what_if.h"
#include "sim/core/progress.h"

namespace a3sim {
namespace {

struct WhatifOptions {
  ConfigOption config;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

// Shows at a terminal what one run with a few ranks tells, if they can stand for all: it takes a part of the first run's time.
void show_alike(const WhatifOptions& options, const Experiment& experiment, KnownSoFar& known) {
  if (!Progress("simulations").speaks()) return;
  const std::optional<Experiment> few = with_few_ranks(options.config, experiment);
  if (!few) return;
  JitterOptions once = options.jitter.options;
  once.runs = std::min(once.runs, 1U);
  const WhatIf result = what_if(*few, once, options.threads.count);
  known.show_first(
      what_if_report(*few, result, once).text(),
      fmt::format("one run with {} of {} ranks, which stand for all", few->representatives, few->shape.ep));
}

// A run's directory has the configuration that it ran.
ConfigOption with_configuration(ConfigOption config) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::path(config.file) / "resolved.yaml";
  if (!config.file.empty() && std::filesystem::is_regular_file(resolved, error))
    config.file = resolved.string();
  return config;
}

void run(const WhatifOptions& given) {
  WhatifOptions options = given;
  options.config = with_configuration(given.config);
  const Experiment experiment = options.config.load();
  refuse_beyond_memory(experiment);
  const JitterOptions& jitter = options.jitter.options;
  KnownSoFar known(options.json);
  show_alike(options, experiment, known);
  const auto take = [&](const WhatIf& so_far, std::uint32_t runs) {
    JitterOptions ended = jitter;
    ended.runs = runs;
    known.show_first(what_if_report(experiment, so_far, ended).text(),
                     fmt::format("{} of {} runs", runs, jitter.draws()));
  };
  const WhatIf result =
      known.unless_interrupted([&] { return what_if(experiment, jitter, options.threads.count, take); });
  print_report(what_if_report(experiment, result, jitter), options.json);
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
