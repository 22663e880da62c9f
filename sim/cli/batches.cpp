#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/output.h"
#include "sim/cli/threads_option.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/micro_batches.h"
#include "sim/study/sweep/point_metrics.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

using Results = std::vector<std::vector<MicroBatchResult>>;  // by seed

Table table_of(const Results& results) {
  Table table({Column::words("figure"), Column::words("pass"), Column::words("unit"),
               Column::number("mean", "", 3), Column::number("low", "", 3), Column::number("high", "", 3)});
  for (const auto& [of, low, high] : batch_metrics(results, metric_names()))
    table.add({of.name, of.pass, of.unit.empty() ? Cell() : Cell(of.unit), of.value, low, high});
  return table;
}

nlohmann::ordered_json json_of(const Results& results) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [of, low, high] : batch_metrics(results, metric_names())) {
    rows.push_back({{"figure", of.name},
                    {"pass", of.pass},
                    {"unit", of.unit},
                    {"mean", of.value},
                    {"low", low},
                    {"high", high}});
  }
  return rows;
}

struct BatchesOptions {
  ConfigOption config;
  ThreadsOption threads;
  JsonOption json;
};

void run(const BatchesOptions& options) {
  const Experiment experiment = options.config.load();
  const StreamOptions* const method = batches_of(experiment);
  if (!method) check_streams(experiment);
  Results results(method->seeds);
  in_parallel(results.size(), options.threads.count, [&](std::size_t seed) {
    results[seed] = run_micro_batches(experiment, draw_batches(experiment, static_cast<std::uint32_t>(seed)));
  });
  const std::string text = fmt::format(
      "{}: {} on {}, EP{}, {} micro-batches of each of {} seeds; low..high: 95 %, as far as the seeds "
      "differ\n\n{}",
      experiment.name, method->method, experiment.hardware.name, experiment.shape.ep, method->micro_batches,
      results.size(), table_of(results).text());
  print_result(text, {{"figures", json_of(results)}}, options.json);
}

class BatchesCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<BatchesOptions>();
    options->config.add_to(app);
    options->threads.add_to(app);
    options->json.add_to(app);
    app.footer(
        "The configuration says by which method rows meet experts (experiment.method), on streams\n"
        "(experiment.execution=streams) or, none and feplb, by one static schedule with slots for guests:\n" +
        [] {
          std::string lines;
          for (const auto& [name, item] : Methods::all())
            lines += fmt::format("  {:<14} {}\n", name, item.description);
          return lines;
        }() +
        "'a3sim run' says of the first micro-batch what its time goes into.\n"
        "Examples:\n"
        "  a3sim batches configs/experiments/feplb.yaml\n"
        "  a3sim batches configs/experiments/feplb.yaml --set experiment.method=none\n"
        "  a3sim batches configs/experiments/feplb_a3_static.yaml\n"
        "  a3sim batches configs/experiments/feplb.yaml --set balance.dyn=2 --set parallel.ep=4 --json "
        "b.json\n");
    app.callback([options] { run(*options); });
  }
};

A3SIM_REGISTER(Command, "batches", "Run micro-batches of a MoE layer on streams, by a balancing method",
               BatchesCommand);

}  // namespace
}  // namespace a3sim
