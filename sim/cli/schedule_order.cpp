#include <iostream>

#include "scheduler/orders/order_csv.h"
#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/core/atomic_file.h"
#include "sim/experiment/run/compiled.h"

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
  options.config.add_to(app);
  app.add_option("-o,--output", options.file, "the file to write (default: standard output)")
      ->type_name("FILE");
}

A3SIM_REGISTER(Command, "schedule order", "Write the order of every queue as CSV, with the task fields",
               Command(add_order_options, export_orders));

}  // namespace
}  // namespace a3sim
