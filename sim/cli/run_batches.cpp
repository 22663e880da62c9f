#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/run_progress.h"
#include "sim/core/parallel.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/experiment/streams/micro_batch_estimate.h"
#include "sim/experiment/streams/micro_batches.h"
#include "sim/result/metrics/point_metrics.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

struct BatchesOptions {
  ConfigOption config;
  ThreadsOption threads;
  JsonOption json;
};

using SamplesBySeed = std::vector<std::vector<SampledMetric>>;

// Returns the means over the seeds that have ended.
Report batches_report(const Experiment& experiment, SamplesBySeed by_seed) {
  std::erase_if(by_seed, [](const std::vector<SampledMetric>& seed) { return seed.empty(); });
  const MicroBatchOptions& method = *experiment.work->micro_batches();
  Report report;
  report.say(fmt::format(
      "{}: {} on {}, EP{}, {} micro-batches of each of {} seeds; low..high: 95 %, as far as the seeds "
      "differ\n",
      experiment.name, method.method, experiment.hardware.name, experiment.shape.ep, method.micro_batches,
      by_seed.size()));
  Table& table = report.table(
      "figures", {Column::words("figure"), Column::words("pass"), Column::words("unit").for_people(),
                  Column::data("unit"), Column::number("mean", "", 3), Column::number("low", "", 3),
                  Column::number("high", "", 3)});
  for (const auto& [metric, low, high] : sampled_means(by_seed, metric_names()))
    table.add({metric.name, metric.pass, metric.unit.empty() ? Cell() : Cell(metric.unit), metric.unit,
               metric.value, low, high});
  return report;
}

void run_all_batches(const BatchesOptions& options, const Experiment& experiment) {
  const MicroBatchOptions* const method = experiment.work->micro_batches();
  if (!method) check_streams(experiment);
  announce(estimate_of_batches(experiment, options.threads.count));
  KnownSoFar known(options.json);
  SamplesBySeed by_seed(method->seeds);
  std::mutex one_at_a_time;
  std::size_t ended = 0;
  const auto run_seed = [&](std::size_t seed) {
    std::vector<SampledMetric> samples =
        experiment.work->sample(experiment, static_cast<std::uint32_t>(seed));
    const std::scoped_lock lock(one_at_a_time);
    by_seed[seed] = std::move(samples);
    if (++ended < by_seed.size())
      known.show_first(batches_report(experiment, by_seed).text(),
                       fmt::format("{} of {} seeds", ended, by_seed.size()));
  };
  known.unless_interrupted([&] { in_parallel(by_seed.size(), options.threads.count, run_seed); });
  print_report(batches_report(experiment, std::move(by_seed)), options.json);
}

void run(const BatchesOptions& options) {
  const Experiment experiment = options.config.load();
  name_stated_numbers(experiment, [&] { run_all_batches(options, experiment); });
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
