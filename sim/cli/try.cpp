#include <fmt/format.h>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/run_progress.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/order_file.h"
#include "sim/study/explore/order_comparison.h"
#include "sim/study/explore/order_page.h"
#include "version.h"

namespace a3sim {
namespace {

struct TryCommandOptions {
  std::string order, config, page;
  std::vector<std::string> set;
  bool as_configured = false;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

void run(const TryCommandOptions& options) {
  keep_freed_memory();  // for the next run
  const OrderSpec order = read_order_file(options.order);
  std::filesystem::path config = options.config;
  if (config.empty())
    config = is_experiment(options.order) ? options.order
                                          : (configs_folder() / "experiments" / "ep8.yaml").string();
  const Experiment experiment = load_experiment(config, options.set);
  warn_of_order(with_order(experiment, order));
  TryOptions how{options.jitter.options, !options.as_configured, options.threads.count, config, options.set};
  ConfigOption few;
  few.file = config;
  few.set = options.set;
  how.alike = with_few_ranks(few, experiment);
  KnownSoFar known(options.json);
  how.ranked = [&](const OrderRanking& ranking) {
    known.show_first(ranking.report().text(), ranking.extent);
  };
  how.compared = [&](const OrderComparison& so_far) {
    const std::size_t others = so_far.conditions.empty() ? 0 : so_far.conditions.size() - 1;
    known.take(order_report(experiment, so_far, options.jitter.options).text(),
               fmt::format("all runs as configured, and {} of {} other conditions", others,
                           conditions_of(experiment).size() - 1));
  };
  const OrderComparison comparison =
      known.unless_interrupted([&] { return try_order(experiment, order, how); });
  if (!comparison.findings.errors.empty())
    throw RunError(fmt::format("{}: {}", options.order, fmt::join(comparison.findings.errors, "\n")));
  const Report report = order_report(experiment, comparison, options.jitter.options);
  if (!options.page.empty())
    write_file_atomically(options.page,
                          order_page(experiment, order, comparison, report, options.threads.count)
                              .html(fmt::format("a3sim {}", kVersion)));
  print_report(report, options.json);
}

void add_try_options(CLI::App& app, TryCommandOptions& options) {
  take_shipped_too(
      app.add_option("ORDER", options.order, "the order (YAML), or a shipped one: ratr")->required(),
      "orders");
  take_shipped_too(app.add_option("--config", options.config,
                                  "the experiment (YAML); without it ORDER, if it is one, or the shipped ep8")
                       ->type_name("FILE"),
                   "experiments");
  repeatable(app.add_option("--set", options.set,
                            "override a value of the experiment: path.to.key=value; repeatable"),
             "KEY=VALUE");
  app.add_flag("--as-configured", options.as_configured, "no other routings and numbers of cores");
  app.add_option(
         "--page", options.page,
         "writes a page to look at: the orders, and timelines of the best shipped one and of the tried one")
      ->type_name("FILE.html");
  options.jitter.add_to(app);
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "try", "Try an order that you have written beside the shipped ones",
               Command(CommandGroup::kPrototype, add_try_options, run));

}  // namespace
}  // namespace a3sim
