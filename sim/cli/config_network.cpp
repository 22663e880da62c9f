#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/result/network_report.h"

namespace a3sim {
namespace {

struct NetworkCommandOptions {
  ConfigOption config;
  std::vector<std::uint32_t> route;
  JsonOption json;
};

void run_network(const NetworkCommandOptions& options) {
  const std::uint32_t from = options.route.empty() ? kNone : options.route.front();
  const std::uint32_t to = options.route.empty() ? kNone : options.route.back();
  print_report(network_report(options.config.load(), from, to), options.json);
}

void add_network_options(CLI::App& app, NetworkCommandOptions& options) {
  options.config.add_to(app);
  app.add_option("--route", options.route,
                 "the cables between two ranks too, each with its part of the bytes")
      ->type_name("RANK RANK")
      ->expected(2);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "config network",
               "Cables and switches between ranks: rates, oversubscription, routes",
               Command(add_network_options, run_network));

}  // namespace
}  // namespace a3sim
