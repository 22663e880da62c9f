#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/schedules.h"
#include "sim/core/error.h"
#include "sim/study/explore/schedule_diff.h"

namespace a3sim {
namespace {

constexpr const char* kDiffExamples =
    "Tasks are the same if rank, operator and index are; the exit code is 0 where nothing differs, else 1.\n"
    "Examples:\n"
    "  a3sim diff ssc other_ssc                                          two compiled schedules\n"
    "  a3sim diff configs/experiments/ep8.yaml ssc                       is that what this gives?\n"
    "  a3sim diff configs/experiments/ep8.yaml configs/experiments/ep8.yaml --order-b mine.yaml\n"
    "                                                                    what another order moves\n"
    "  a3sim diff A B --json                                             every task that differs, for "
    "programs\n";

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

std::vector<DiffSide> sides(const std::vector<NamedSchedule>& of) {
  std::vector<DiffSide> all;
  for (const NamedSchedule& named : of) all.push_back({named.name, &named.schedule});
  return all;
}

void diff(const DiffOptions& options) {
  const std::vector<NamedSchedule> a = load(options.a, options.order_a), b = load(options.b, options.order_b);
  const ScheduleDiff found = diff_schedules(sides(a), sides(b), options.count);
  print_result(found.report.text(), found.report.json(), options.json);
  if (!found.same) throw RunError(fmt::format("{} and {} differ", options.a, options.b));
}

class Diff final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<DiffOptions>();
    app.add_option("A", options->a, "an experiment (YAML), a compiled schedule or a directory of them")
        ->required();
    app.add_option("B", options->b, "what it is compared with")->required();
    app.add_option("--order-a", options->order_a, "the order of this file for A")->type_name("FILE");
    app.add_option("--order-b", options->order_b, "the order of this file for B")->type_name("FILE");
    app.add_option("-n", options->count, "how many tasks that differ are listed; 20 without it");
    options->json.add_to(app);
    app.footer(kDiffExamples);
    app.callback([options] { diff(*options); });
  }
};

A3SIM_REGISTER(Command, "diff", "How two schedules differ: tasks, places, events, waits", Diff);

}  // namespace
}  // namespace a3sim
