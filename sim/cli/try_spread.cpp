#include <fmt/format.h>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/core/config/quantity.h"
#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/order_file.h"
#include "sim/study/explore/jitter.h"

namespace a3sim {
namespace {

struct SpreadOptions : OverrideOptions {
  std::string config;
  JitterOptions jitter{.runs = 20};
  std::string durations = "5%", rates = "2%";
  std::vector<std::string> orders;
  ThreadsOption threads;
  JsonOption json;
};

// Reads "5%" as 0.05.
double spread_of(const std::string& option, const std::string& text) {
  constexpr double kMost = 90;
  const auto bad = [&] {
    return InputError(
        fmt::format("{}: '{}', expected a percentage from 0% to {}%, like 5%", option, text, kMost));
  };
  if (!text.ends_with('%')) throw bad();
  std::string number = text.substr(0, text.size() - 1);
  while (number.ends_with(' ')) number.pop_back();
  const Parsed<double> percent = parse_number(number, 0, kMost);
  if (!percent.error.empty()) throw bad();
  return percent.value / 100;
}

void run(const SpreadOptions& options) {
  JitterOptions how = options.jitter;
  how.durations = spread_of("--duration-spread", options.durations);
  how.rates = spread_of("--rate-spread", options.rates);
  const std::filesystem::path config = options.config.empty() ? configs_folder() / "experiments" / "ep8.yaml"
                                                              : std::filesystem::path(options.config);
  const Experiment experiment = options.load(config);
  std::vector<OrderSpec> orders;
  for (const std::string& file : options.orders) orders.push_back(read_order_file(file));
  for (const OrderSpec& order : orders) warn_of_order(with_order(experiment, order));
  const std::vector<JitteredOrder> result = jitter(experiment, orders, how, options.threads.count);
  print_report(jitter_report(experiment, result, how), options.json);
}

void add_spread_options(CLI::App& app, SpreadOptions& options) {
  take_shipped_too(app.add_option("ORDER", options.orders,
                                  "orders (YAML), or shipped ones: ratr; the configuration's without one"),
                   "orders");
  take_shipped_too(
      app.add_option("--config", options.config, "the experiment (YAML); the shipped ep8 without it")
          ->type_name("FILE"),
      "experiments");
  options.add_set_to(app);
  app.add_option("--runs", options.jitter.runs, "how many; 20 without it")->check(CLI::Range(1, 100000));
  app.add_option("--seed", options.jitter.seed, "of what is drawn; 1 without it");
  app.add_option("--duration-spread", options.durations, "of each task's own time; 5% without it")
      ->type_name("PERCENT");
  app.add_option("--rate-spread", options.rates, "of the rates of memory and links; 2% without it")
      ->type_name("PERCENT");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "try --spread", "How far latencies spread under random task times and rates",
               Command(add_spread_options, run));

}  // namespace
}  // namespace a3sim
