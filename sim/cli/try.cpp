#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/run_progress.h"
#include "sim/compare/orders/order_comparison.h"
#include "sim/compare/orders/order_page.h"
#include "sim/core/atomic_file.h"
#include "sim/core/config/quantity.h"
#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "version.h"

namespace a3sim {
namespace {

struct TryCommandOptions {
  std::string order, config, page, against;
  std::string durations = "5%", rates = "2%";
  std::vector<std::string> set;
  bool as_configured = false, spread = false, list = false;
  CLI::Option* runs = nullptr;  // --jitter
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

// Returns a line for each shipped order: its name, and what it is in its own words.
std::string lines_of_orders() {
  std::string lines;
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders"))
    lines += fmt::format("  {:<20} {}\n", file.stem().string(), description_of_order(file));
  return lines;
}

// Reads "5%" as 0.05.
double spread_of_text(const std::string& option, const std::string& text) {
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

JitterOptions jitter_of(const TryCommandOptions& options) {
  constexpr std::uint32_t kSpreadRuns = 20;
  JitterOptions jitter = options.jitter.options;
  jitter.durations = spread_of_text("--duration-spread", options.durations);
  jitter.rates = spread_of_text("--rate-spread", options.rates);
  if (options.spread && options.runs->count() == 0) jitter.runs = kSpreadRuns;
  if (options.spread && jitter.runs == 0) throw InputError("--spread: of one run there is none, --jitter 0");
  return jitter;
}

// Returns the file whose order is tried: ORDER, else the experiment with its own.
const std::string& order_of(const TryCommandOptions& options) {
  return options.order.empty() ? options.config : options.order;
}

std::string config_of(const TryCommandOptions& options) {
  if (!options.config.empty()) return options.config;
  if (is_experiment(options.order)) return options.order;
  return (configs_folder() / "experiments" / "ep8.yaml").string();
}

void try_order_of(const TryCommandOptions& options, const Experiment& experiment, const std::string& config,
                  const JitterOptions& jitter) {
  const OrderSpec order = read_order_file(order_of(options));
  warn_of_order(with_order(experiment, order));
  TryOptions how{jitter, !options.as_configured, options.threads.count, config, options.set};
  if (!options.against.empty()) how.against = read_order_file(options.against);
  how.spread = options.spread;
  ConfigOption few;
  few.file = config;
  few.set = options.set;
  how.alike = with_few_ranks(few, experiment);
  KnownSoFar known(options.json, KnownSoFar::Shown::kInPipesToo);
  how.ranked = [&](const OrderRanking& ranking) {
    known.show_first(ranking.report().text(), ranking.extent);
  };
  how.compared = [&](const OrderComparison& so_far) {
    const std::size_t others = so_far.conditions.empty() ? 0 : so_far.conditions.size() - 1;
    known.take(order_report(experiment, so_far, jitter).text(),
               fmt::format("all runs as configured, and {} of {} other conditions", others,
                           conditions_of(experiment).size() - 1));
  };
  const OrderComparison comparison =
      known.unless_interrupted([&] { return try_order(experiment, order, how); });
  if (!comparison.findings.errors.empty())
    throw RunError(fmt::format("{}: {}", order_of(options), fmt::join(comparison.findings.errors, "\n")));
  const Report report = order_report(experiment, comparison, jitter);
  if (!options.page.empty())
    write_file_atomically(options.page, order_page(experiment, comparison, report, options.threads.count)
                                            .html(fmt::format("a3sim {}", kVersion)));
  print_report(report, options.json);
}

void run(const TryCommandOptions& options) {
  if (options.list) {
    std::cout << lines_of_orders() << std::flush;
    return;
  }
  if (order_of(options).empty())
    throw InputError("ORDER is required: an order (YAML), or a shipped one ('a3sim try --list')");
  keep_freed_memory();  // for the next run
  const JitterOptions jitter = jitter_of(options);
  const std::string config = config_of(options);
  const Experiment experiment = load_experiment(config, options.set);
  refuse_beyond_memory(experiment);
  const bool sorted = experiment.work->why_no_schedule_run().empty();
  if (!options.spread || sorted) return try_order_of(options, experiment, config, jitter);
  print_report(spread_report(experiment, jitter, options.threads.count), options.json);
}

void add_try_options(CLI::App& app, TryCommandOptions& options) {
  take_shipped_too(
      app.add_option("ORDER", options.order,
                     "the order (YAML), or a shipped one: ratr; or an experiment, with its own order"),
      "orders");
  take_shipped_too(app.add_option("--against", options.against,
                                  "the order to compare with (default: the best shipped one)")
                       ->type_name("ORDER"),
                   "orders");
  take_shipped_too(
      app.add_option(
             "--config,--hf", options.config,
             "the experiment (YAML), or a model's HuggingFace config.json; without it ORDER, if it is "
             "an experiment, or the shipped ep8")
          ->type_name("FILE"),
      "experiments");
  repeatable(app.add_option("--set", options.set,
                            "override a value of the experiment: path.to.key=value; repeatable"),
             "KEY=VALUE");
  app.add_flag("--as-configured", options.as_configured, "no other routings and numbers of cores");
  app.add_flag("--spread", options.spread,
               "also say how latencies are distributed; 20 runs without --jitter");
  app.add_flag("--list", options.list, "list the shipped orders");
  app.add_option("--page", options.page,
                 "writes a page to look at: the orders, and timelines of the tried one and of the one it is "
                 "compared with")
      ->type_name("FILE.html");
  options.runs = options.jitter.add_to(app);
  app.add_option("--duration-spread", options.durations, "spread of each task's own time (default: 5%)")
      ->type_name("PERCENT");
  app.add_option("--rate-spread", options.rates, "spread of the rates of memory and links (default: 2%)")
      ->type_name("PERCENT");
  options.threads.add_to(app);
  options.json.add_to(app);
  app.footer("");  // the callback's text comes first
  app.footer([] { return help_of("try", lines_of_orders()); });
}

A3SIM_REGISTER(Command, "try", "Compare an order that you have written with the shipped ones",
               Command(CommandGroup::kPrototype, add_try_options, run));

}  // namespace
}  // namespace a3sim
