#include <fmt/format.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/jitter_option.h"
#include "sim/cli/output.h"
#include "sim/cli/shipped_file.h"
#include "sim/cli/threads_option.h"
#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/order_file.h"
#include "sim/study/explore/order_comparison.h"

namespace a3sim {
namespace {

constexpr const char* kTryExamples =
    "An order is a YAML file:\n"
    "  order:\n"
    "    name: mine\n"
    "    ctq: [stage, expert, op, row, tile]                  matrix tasks: sort keys, the first one counts "
    "most\n"
    "    vtq: [stage, expert, chunk, (dst - rank) % ep]       vector tasks and puts\n"
    "    assignment: cyclic        of tasks to workers: cyclic, or shared (the next free worker)\n"
    "    pools: {comm: {operators: [Dispatch*, Combine*], workers: 16}}   optional: workers for these alone\n"
    "    limit: {Dispatch*: 8}                                optional: tasks of each in flight at most\n"
    "Pools and limits name operators (Dispatch), patterns (Dispatch* is Dispatch_bwd too) or types "
    "(GroupedMatmul).\n"
    "Keys are arithmetic (+ - * / % floor min max abs, comparisons, \"c ? a : b\" in quotes) over\n"
    "  op, stage               the operator's place in the graph; the longest path to it, in operators\n"
    "  expert, gexpert         its number on the rank; over all ranks\n"
    "  src, dst, rank, ep      where rows come from and go to; whose queue it is; how many ranks\n"
    "  distance, node          from src to dst: 0 here, 1 the nearest level of the fabric, 2, …; the node of "
    "dst\n"
    "  row, rows               the first row; how many (-rows: largest experts first)\n"
    "  tile, chunk, index      the share or row tile; a put's chunk; the task's number\n"
    "  bytes, flops            what it moves and computes\n"
    "  depth, path             the longest path to it, in tasks; from it to the end, in ps\n"
    "and names of operators (op == GMM_w1_grad): smallest first, ties by task. Any keys give a legal order: "
    "where a\n"
    "task would stand before what it waits for, the nearest legal place is taken. A list of tasks instead of "
    "keys is\n"
    "ctq_list: FILE.csv ('a3sim order export' writes one). configs/orders/ has orders to start from.\n"
    "What is tried is checked as 'a3sim check' and 'check --data' do, and run beside each of "
    "configs/orders/, all\n"
    "under the same random times; then beside the best of them under balanced and skewed routings, on 25/50 "
    "and "
    "24/48\n"
    "cores, for where a gain turns.\n"
    "Examples:\n"
    "  a3sim try mine.yaml\n"
    "  a3sim try mine.yaml --config configs/experiments/ep16.yaml --set routing.kind=sampled\n"
    "  a3sim try mine.yaml --as-configured --jitter 0      one run of each order, and nothing else\n";

struct TryCommandOptions {
  std::string order, config;
  std::vector<std::string> set;
  bool as_configured = false;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

void run(const TryCommandOptions& options) {
  const OrderSpec order = read_order_file(options.order);
  const std::filesystem::path config = options.config.empty() ? configs_folder() / "experiments" / "ep8.yaml"
                                                              : std::filesystem::path(options.config);
  const Experiment experiment = load_experiment(config, options.set);
  warn_of_order(with_order(experiment, order));
  OrderComparison comparison =
      try_order(experiment, order, {options.jitter.options, !options.as_configured, options.threads.count});
  if (comparison.findings.errors.empty()) check_results(config, options.set, order, comparison);
  if (!comparison.findings.errors.empty())
    throw RunError(fmt::format("{}: {}", options.order, fmt::join(comparison.findings.errors, "\n")));
  print_report(order_report(experiment, comparison, options.jitter.options), options.json);
}

class Try final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<TryCommandOptions>();
    take_shipped_too(
        app.add_option("ORDER", options->order, "the order (YAML), or a shipped one: ratr")->required(),
        "orders");
    take_shipped_too(
        app.add_option("--config", options->config, "the experiment (YAML); the shipped ep8 without it")
            ->type_name("FILE"),
        "experiments");
    app.add_option("--set", options->set, "override a value of the experiment: path.to.key=value; repeatable")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    app.add_flag("--as-configured", options->as_configured, "no other routings and numbers of cores");
    options->jitter.add_to(app);
    options->threads.add_to(app);
    options->json.add_to(app);
    app.footer(kTryExamples);
    app.callback([options] { run(*options); });
  }
};

A3SIM_REGISTER(Command, "try", "Try an order that you have written beside the shipped ones", Try);

}  // namespace
}  // namespace a3sim
