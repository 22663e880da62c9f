#include "sim/compare/runs/schedule_diff.h"

#include <fmt/format.h>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/schedules.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

struct DiffOptions {
  std::string a, b, order_a, order_b;
  std::size_t count = 20;
  JsonOption json;
};

std::vector<NamedSchedule> load(const std::string& argument, const std::string& order) {
  ScheduleOption option;
  option.arguments = {argument};
  option.order = order;
  return option.load();
}

std::vector<DiffSide> sides(const std::vector<NamedSchedule>& schedules) {
  std::vector<DiffSide> all;
  for (const NamedSchedule& named : schedules) all.push_back({named.name, &named.schedule});
  return all;
}

void diff(const DiffOptions& options) {
  const std::vector<NamedSchedule> a = load(options.a, options.order_a), b = load(options.b, options.order_b);
  const ScheduleDiff found = diff_schedules(sides(a), sides(b), options.count);
  print_report(found.report, options.json);
  if (!found.same) throw RunError(fmt::format("{} and {} differ", options.a, options.b));
}

void add_diff_options(CLI::App& app, DiffOptions& options) {
  take_shipped_too(app.add_option("A", options.a,
                                  "an experiment (YAML, or a shipped one: ep8), a compiled schedule or a "
                                  "directory of them")
                       ->required(),
                   "experiments");
  take_shipped_too(app.add_option("B", options.b, "what it is compared with")->required(), "experiments");
  take_shipped_too(
      app.add_option("--order-a", options.order_a, "the order of this file for A, or a shipped one")
          ->type_name("FILE"),
      "orders");
  take_shipped_too(
      app.add_option("--order-b", options.order_b, "the order of this file for B, or a shipped one")
          ->type_name("FILE"),
      "orders");
  app.add_option("-n", options.count, "number of differing tasks that are listed (default: 20)");
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "schedule diff", "How two schedules differ: tasks, places, events, waits",
               Command(add_diff_options, diff));

}  // namespace
}  // namespace a3sim
