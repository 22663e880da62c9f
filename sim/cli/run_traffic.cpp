#include <fmt/format.h>

#include <algorithm>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/known_so_far.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/traffic/decision.h"
#include "sim/traffic/decision_page.h"
#include "sim/traffic/fitted_experiment.h"
#include "sim/traffic/log_report.h"
#include "version.h"

namespace a3sim {
namespace {

struct TrafficOptions {
  std::string log, config, page, deal = "turn";
  std::vector<std::string> set;
  std::uint32_t tokens = 0;
  std::optional<std::uint32_t> layer;
  double least = 1;
  DecideOptions decide;
  ThreadsOption threads;
  JsonOption json;
};

DealBy deal_of(const TrafficOptions& options) {
  const auto& names = kNamesOf<DealBy>;
  return static_cast<DealBy>(std::ranges::find(names, options.deal) - names.begin());
}

void run_traffic(const TrafficOptions& options) {
  keep_freed_memory();
  const TrafficLog log = read_traffic_log(options.log);
  const FittedExperiment fitted =
      fit_experiment(log, {options.config, options.set, options.tokens, deal_of(options), options.layer});
  Report report = log_report(log);
  add_layers(fitted, report);
  KnownSoFar known(options.json);
  known.show_first(report.text(), "what the log holds");
  DecideOptions how = options.decide;
  how.threads = options.threads.count;
  how.least = options.least / 100;
  const TrafficDecision decision =
      known.unless_interrupted([&] { return decide(log, fitted.layer, fitted.experiment, how); });
  const Report decided = decision_report(decision);
  if (!options.page.empty())
    write_file_atomically(options.page,
                          decision_page(decision, report, decided).html(fmt::format("a3sim {}", kVersion)));
  Report all;
  all.only_part("decision", decided);
  all.only_part("log", std::move(report));
  print_report(all, options.json);
}

void add_traffic_options(CLI::App& app, TrafficOptions& options) {
  app.add_option("LOG", options.log, "a log of tokens or of counts by expert")->required();
  take_shipped_too(app.add_option("--config", options.config,
                                  "the experiment whose layer, machine and execution are taken (default: the "
                                  "shipped ep8, forward)")
                       ->type_name("CONFIG"),
                   "experiments");
  repeatable(app.add_option("--set", options.set,
                            "override a value of the experiment: path.to.key=value; repeatable"),
             "KEY=VALUE");
  app.add_option("--tokens-per-rank", options.tokens,
                 "tokens per rank and step (default: the experiment's, or as many as leave 24 steps)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option(
         "--deal", options.deal,
         "how tokens come to ranks: turn (one each), blocks (consecutive ones), requests (whole ones)")
      ->check(CLI::IsMember({"turn", "blocks", "requests"}));
  app.add_option("--layer", options.layer,
                 "the layer that is run (default: the middle one by its busiest rank)");
  app.add_option("--sample", options.decide.steps, "steps of the second half that are run")
      ->check(CLI::Range(6, 1000));
  app.add_option("--redundant", options.decide.redundant, "copies of experts on each rank")
      ->check(CLI::Range(0, 64));
  app.add_option("--least", options.least, "what is worth it, in percent of the layer's time")
      ->check(CLI::Range(0.0, 50.0));
  app.add_option("--paths", options.decide.paths,
                 "presets to run in addition to the experiment's own execution (default: all)")
      ->delimiter(',')
      ->type_name("PRESET");
  app.add_option("-o,--output", options.page, "writes a page to look at")->type_name("FILE.html");
  options.threads.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "run --traffic", "Say what recorded routing costs, and whether balancing it pays",
               Command(add_traffic_options, run_traffic));

}  // namespace
}  // namespace a3sim
