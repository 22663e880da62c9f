#include <iostream>
#include <memory>

#include "scheduler/order_csv.h"
#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/core/atomic_file.h"
#include "sim/experiment/compiled.h"

namespace a3sim {
namespace {

constexpr const char* kOrderExamples =
    "Examples:\n"
    "  a3sim order export configs/experiments/ep8.yaml -o order.csv   write it down, a line a task\n"
    "  a3sim run configs/experiments/ep8.yaml --set order='{name: mine, ctq_list: order.csv, vtq_list: "
    "order.csv}'\n"
    "                                                                 change lines, run it\n"
    "  a3sim order export configs/experiments/ep8.yaml --order mine.yaml -o mine.csv\n"
    "How an order is written as sort keys instead: 'a3sim try --help', which also compares it with the "
    "shipped ones.\n";

struct OrderOptions {
  ConfigOption config;
  std::string file;
};

void export_orders(const OrderOptions& options) {
  const Experiment experiment = options.config.load();
  const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
  std::string csv;
  for (const Pass& pass : experiment.passes) {
    const std::string one = export_order(compile_pass(experiment, pass, capacity).schedule);
    csv += csv.empty() ? one : one.substr(one.find('\n') + 1);  // one header for all passes
  }
  if (options.file.empty()) {
    std::cout << csv;
  } else {
    write_file_atomically(options.file, csv);
  }
}

class Order final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<OrderOptions>();
    app.require_subcommand(1);
    app.footer(kOrderExamples);
    CLI::App& exporting =
        *app.add_subcommand("export", "write the order of every queue as CSV, with the task fields");
    options->config.add_to(exporting);
    exporting.add_option("-o,--output", options->file, "where to; standard output without it")
        ->type_name("FILE");
    exporting.footer(kOrderExamples);
    exporting.callback([options] { export_orders(*options); });
  }
};

A3SIM_REGISTER(Command, "order", "Orders as data: write them down, change them", Order);

}  // namespace
}  // namespace a3sim
