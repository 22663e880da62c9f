#include <iostream>

#include "scheduler/orders/order_csv.h"
#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/core/atomic_file.h"
#include "sim/experiment/compiled.h"

namespace a3sim {
namespace {

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

void add_order_options(CLI::App& app, OrderOptions& options) {
  app.require_subcommand(1);
  CLI::App& exporting =
      *app.add_subcommand("export", "write the order of every queue as CSV, with the task fields");
  options.config.add_to(exporting);
  exporting.add_option("-o,--output", options.file, "where to; standard output without it")
      ->type_name("FILE");
  exporting.footer(help_of("order"));
}

A3SIM_REGISTER(Command, "order", "Orders as data: write them down, change them",
               Command(add_order_options, export_orders));

}  // namespace
}  // namespace a3sim
