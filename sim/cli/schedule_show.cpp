#include <iostream>
#include <optional>

#include "scheduler/compile/show.h"
#include "sim/cli/command.h"
#include "sim/cli/schedules.h"

namespace a3sim {
namespace {

struct ShowOptions {
  ScheduleOption schedules;
  std::string pass, queue;
  std::uint32_t rank = 0, count = 20;
  std::optional<std::uint32_t> task, event;
  bool graph = false, dot = false;
};

std::string view(const NamedSchedule& named, const ShowOptions& options) {
  const Splits* splits = named.splits ? &*named.splits : nullptr;
  const RankId rank{options.rank};
  std::string text;
  if (options.dot) return show_dot(named.schedule.front(), splits);
  if (!options.queue.empty()) text += show_queue(named.schedule, rank, options.queue, options.count);
  if (options.task) text += show_task(named.schedule, rank, TaskId{*options.task});
  if (options.event) text += show_event(named.schedule, rank, EventId{*options.event});
  if (!text.empty()) return text;
  if (!options.graph) text = show_totals(named.schedule) + '\n';
  return text + show_graph(named.schedule.front(), splits);
}

void show(const ShowOptions& options) {
  bool found = false;
  for (const NamedSchedule& named : options.schedules.load()) {
    if (!options.pass.empty() && named.name != options.pass) continue;
    if (options.rank >= named.schedule.size())
      throw InputError(
          fmt::format("--rank: {}, and there are ranks 0 to {}", options.rank, named.schedule.size() - 1));
    if (options.dot) {
      std::cout << view(named, options);
    } else {
      std::cout << (found ? "\n" : "") << named.name << '\n' << view(named, options);
    }
    found = true;
  }
  if (!found) throw InputError("--pass: there is no pass '" + options.pass + "'");
}

void add_show_options(CLI::App& app, ShowOptions& options) {
  options.schedules.add_to(app);
  app.add_option("--pass", options.pass, "only this pass: forward, backward, …");
  app.add_option("--rank", options.rank, "the rank of the queue, task or event (default: 0)");
  app.add_flag("--graph", options.graph, "the graph only");
  app.add_flag("--dot", options.dot, "the graph as a Graphviz digraph");
  app.add_option("--queue", options.queue, "the head of a queue: of AIC (ctq), of AIV (vtq), of an SM (smq)")
      ->type_name("TEXT:{ctq,smq,vtq}");
  app.add_option("-n", options.count, "number of its tasks (default: 20)");
  app.add_option("--task", options.task, "one task: all fields, its regions, whom it waits for");
  app.add_option("--event", options.event, "one event: its producers and consumers over all ranks");
}

A3SIM_REGISTER(Command, "schedule show", "Show graphs, queues, tasks and events of schedules",
               Command(add_show_options, show));

}  // namespace
}  // namespace a3sim
