#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "scheduler/verify.h"
#include "sim/cli/command.h"
#include "sim/cli/data_options.h"
#include "sim/cli/schedules.h"
#include "sim/core/machine_memory.h"

namespace a3sim {
namespace {

constexpr const char* kCheckExamples =
    "Examples:\n"
    "  a3sim check configs/experiments/ep8.yaml      compile it and check the schedules\n"
    "  a3sim check ssc                               check compiled schedules\n"
    "  a3sim check configs/experiments/ep8.yaml --order mine.yaml         those of another order\n"
    "  a3sim check --data configs/experiments/ep4.yaml                    its results, on real tensors\n"
    "  a3sim check --data configs/experiments/ep4.yaml --adversary all    and whichever operator is late\n"
    "  a3sim check --data configs/experiments/ep4.yaml --drop-wait GMM1   fails: what a missing wait does\n"
    "  a3sim check --data configs/experiments/ep4.yaml --set model.top_k=1 --set routing.kind=sampled \\\n"
    "    --set routing.skew=2 --orders                                    skewed, under every order\n"
    "  a3sim check --data configs/experiments/ep8.yaml --orders --executions  every order, every way of "
    "running\n";

struct CheckOptions {
  ScheduleOption schedules;
  DataOptions data;
};

void check(const CheckOptions& options) {
  if (options.data.data) return options.data.check(options.schedules);
  keep_freed_memory();  // from rank to rank, and from pass to pass
  std::string faults;
  options.schedules.each([&](const NamedSchedule& named) {
    const Findings findings = verify(named.schedule);
    std::cout << named.name << ":\n";
    for (const std::string& note : findings.notes) std::cout << "  " << note << '\n';
    for (const std::string& error : findings.errors) faults += named.name + ": " + error + '\n';
  });
  if (faults.empty()) return;
  faults.pop_back();
  throw RunError(faults);
}

class Check final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<CheckOptions>();
    options->schedules.add_to(app);
    options->data.add_to(app);
    app.footer(kCheckExamples);
    app.callback([options] { check(*options); });
  }
};

A3SIM_REGISTER(Command, "check",
               "Check schedules: thresholds, rows, deadlock, ring order; results, on real tensors", Check);

}  // namespace
}  // namespace a3sim
