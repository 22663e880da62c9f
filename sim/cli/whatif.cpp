#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/jitter_option.h"
#include "sim/cli/output.h"
#include "sim/cli/threads_option.h"
#include "sim/study/explore/what_if.h"

namespace a3sim {
namespace {

constexpr const char* kWhatifExamples =
    "Each part of the machine 10 % better, then free: rates, sizes and numbers times 1.1, times divided by "
    "it;\n"
    "free is a hundred thousand times the rate, no time, an L2 that holds everything. 10 % more workers are\n"
    "rounded up to whole ones, have their own schedules, and are never free. Gains are medians over runs\n"
    "with the same random times for all, with an interval of 95 % (one of twenty misses); what may be\n"
    "chance is marked as noise.\n"
    "Examples:\n"
    "  a3sim whatif configs/experiments/ep8.yaml                                  what binds a MoE-FFN\n"
    "  a3sim whatif configs/experiments/ep8.yaml --set experiment.execution=dynamic --json w.json\n"
    "  a3sim whatif configs/experiments/ep8.yaml --order mine.yaml                under another order\n"
    "  a3sim whatif configs/experiments/gemm.yaml --set gemm.k=7168                and a product\n"
    "  a3sim whatif configs/experiments/ep8.yaml --jitter 0                       quick: one run of each\n";

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

class WhatIfCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<WhatifOptions>();
    options->config.add_to(app);
    options->jitter.add_to(app);
    options->threads.add_to(app);
    options->json.add_to(app);
    app.footer(kWhatifExamples);
    app.callback([options] { run(*options); });
  }
};

A3SIM_REGISTER(Command, "whatif", "Make each part of the machine better: what binds?", WhatIfCommand);

}  // namespace
}  // namespace a3sim
