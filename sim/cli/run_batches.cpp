#include <fmt/format.h>

#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/core/parallel.h"
#include "sim/experiment/micro_batches.h"
#include "sim/study/metrics/point_metrics.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

struct BatchesOptions {
  ConfigOption config;
  ThreadsOption threads;
  JsonOption json;
};

void run(const BatchesOptions& options) {
  const Experiment experiment = options.config.load();
  const MicroBatchOptions* const method = experiment.work->micro_batches();
  if (!method) check_streams(experiment);
  std::vector<std::vector<MicroBatchResult>> by_seed(method->seeds);
  in_parallel(by_seed.size(), options.threads.count, [&](std::size_t seed) {
    by_seed[seed] = run_micro_batches(experiment, draw_batches(experiment, static_cast<std::uint32_t>(seed)));
  });
  Report report;
  report.say(fmt::format(
      "{}: {} on {}, EP{}, {} micro-batches of each of {} seeds; low..high: 95 %, as far as the seeds "
      "differ\n",
      experiment.name, method->method, experiment.hardware.name, experiment.shape.ep, method->micro_batches,
      by_seed.size()));
  Table& table = report.table(
      "figures", {Column::words("figure"), Column::words("pass"), Column::words("unit").for_people(),
                  Column::data("unit"), Column::number("mean", "", 3), Column::number("low", "", 3),
                  Column::number("high", "", 3)});
  for (const auto& [metric, low, high] : batch_metrics(by_seed, metric_names()))
    table.add({metric.name, metric.pass, metric.unit.empty() ? Cell() : Cell(metric.unit), metric.unit,
               metric.value, low, high});
  print_report(report, options.json);
}

void add_batches_options(CLI::App& app, BatchesOptions& options) {
  options.config.add_to(app);
  options.threads.add_to(app);
  options.json.add_to(app);
  app.footer(help_of("run --batches", lines_of<Methods>(14)));
}

A3SIM_REGISTER(Command, "run --batches", "Run micro-batches of a MoE layer on streams, by a balancing method",
               Command(add_batches_options, run));

}  // namespace
}  // namespace a3sim
