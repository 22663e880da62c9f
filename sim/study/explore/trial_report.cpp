#include <fmt/format.h>

#include "sim/study/explore/trial.h"
#include "sim/study/summary/operator_report.h"
#include "sim/study/summary/report.h"
#include "traces/report/table.h"
#include "version.h"

namespace a3sim {
namespace {

// Sums over all passes, of the workers of one queue.
struct Sums {
  Duration busy{}, waited{};
  L2Traffic l2;
};

Sums sums_of(const TriedOrder& order, QueueType queue) {
  Sums sums;
  for (const TriedOrder::Pass& pass : order.passes) {
    sums.busy += pass.busy[static_cast<std::size_t>(queue)];
    for (std::size_t op = 0; op < pass.operators.size(); ++op) {
      if (pass.queues[op] == queue) sums.waited += pass.operators[op].waited;
      sums.l2 += pass.l2[op];
    }
  }
  return sums;
}

std::string_view worker_name(QueueType queue) { return queue == QueueType::kCtq ? "AIC" : "AIV"; }

double change(const TriedOrder& order, const TriedOrder& best) {
  return seconds(order.total) / seconds(best.total) - 1;
}

std::string remark(const Trial& trial, const TriedOrder& order) {
  std::string text = &order == &trial.tried() ? "tried" : "";
  if (order.same_as)
    text += fmt::format("{}same as {}", text.empty() ? "" : ", ",
                        *order.same_as == 0 ? "the tried one" : trial.orders[*order.same_as].name);
  return text;
}

std::string orders_table(const Experiment& experiment, const Trial& trial) {
  const QueueType queue = trial.main_queue();
  const std::string worker(worker_name(queue));
  const double workers = trial.workers[static_cast<std::size_t>(queue)];
  std::vector<std::string> header{"order"};
  for (const Pass& pass : experiment.passes) header.push_back(pass.name + " ms");
  if (experiment.passes.size() > 1) header.emplace_back("total ms");
  header.insert(header.end(),
                {"to best shipped", worker + " busy", worker + " waits ms", "L2 read hits", ""});
  Table table(header);
  for (const TriedOrder& order : trial.orders) {
    if (!order.refused.empty()) continue;
    const Sums sums = sums_of(order, queue);
    std::vector<std::string> cells{order.name};
    for (const TriedOrder::Pass& pass : order.passes) cells.push_back(in_milliseconds(pass.latency));
    if (order.passes.size() > 1) cells.push_back(in_milliseconds(order.total));
    cells.push_back(trial.best() ? fmt::format("{:+.2f} %", 100 * change(order, *trial.best())) : "-");
    cells.push_back(fmt::format("{:.1f} %", 100 * seconds(sums.busy) / seconds(order.total) / workers));
    cells.push_back(fmt::format("{:.3f}", milliseconds(sums.waited) / workers));
    cells.push_back(fmt::format("{:.1f} %", 100 * sums.l2.read.hit_rate()));
    cells.push_back(remark(trial, order));
    table.add_words(cells);
  }
  return table.text();
}

}  // namespace

std::string trial_text(const Experiment& experiment, const Trial& trial) {
  const std::string worker(worker_name(trial.main_queue()));
  std::string text = fmt::format("{} (a3sim {}), {} execution: order {} beside the shipped ones\n\n",
                                 experiment.name, kVersion, experiment.run.execution, trial.tried().name);
  text += trial.findings.errors.empty()
              ? "schedules  sound: thresholds, waits, rows, no deadlock for any durations ('a3sim check' "
                "says more)\n"
              : fmt::format("wrong: {}\n", fmt::join(trial.findings.errors, "\nwrong: "));
  if (!trial.results.empty()) text += fmt::format("results    {}\n", trial.results);
  text += '\n' + orders_table(experiment, trial);
  text += fmt::format(
      "\n'{} waits': how long the average one stands at tasks whose rows are not there yet.\n", worker);
  for (const TriedOrder& order : trial.orders) {
    if (!order.refused.empty()) text += fmt::format("Does not fit: {}.\n", order.refused);
  }
  return text + trial_verdict(experiment, trial);
}

nlohmann::ordered_json trial_json(const Experiment& experiment, const Trial& trial) {
  nlohmann::ordered_json json{{"schema_version", 1}, {"a3sim", kVersion}, {"name", experiment.name}};
  for (const TriedOrder& order : trial.orders) {
    nlohmann::ordered_json item{{"order", order.name}};
    if (order.same_as) item["same_as"] = trial.orders[*order.same_as].name;
    if (!order.refused.empty()) {
      item["refused"] = order.refused;
    } else {
      item["total_ps"] = order.total.count();
    }
    for (std::size_t p = 0; p < order.passes.size(); ++p)
      item["passes_ps"][experiment.passes[p].name] = order.passes[p].latency.count();
    for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq}) {
      if (order.passes.empty()) continue;
      const Sums sums = sums_of(order, queue);
      item[std::string(worker_name(queue))] = {{"workers", trial.workers[static_cast<std::size_t>(queue)]},
                                               {"busy_ps", sums.busy.count()},
                                               {"waited_ps", sums.waited.count()}};
      item["l2"] = l2_json(sums.l2);
    }
    json["orders"].push_back(std::move(item));
  }
  json["checked"] = trial.findings.notes;
  json["results"] = trial.results;
  json["verdict"] = trial_verdict(experiment, trial);
  return json;
}

}  // namespace a3sim
