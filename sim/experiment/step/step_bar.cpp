#include "sim/experiment/step/step_bar.h"

#include <fmt/format.h>

#include <vector>

namespace a3sim {

void add_error_bar(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  const StepOptions& step = simulated.prepared.plan.step;
  if (experiment.hardware.stack == "cuda") return;
  if (step.unlisted_most.empty()) {
    report.say(
        "Small kernels that a framework adds (casts, copies, bookkeeping) are left out, and how long they "
        "take is "
        "not known (step.host.unlisted).\n",
        "error_bar");
    return;
  }
  const std::vector<std::string> change{"step.host.unlisted=" + step.unlisted_most};
  const Duration most = simulate_step(experiment.with(change)).figures.time;
  report
      .say(fmt::format(
               "Error bar: {:.3f} to {:.3f} s. Small kernels that a framework adds (casts, copies, "
               "bookkeeping) are left out; by published steps they take up to {} with each kernel that is "
               "counted (step.host.unlisted).\n",
               seconds(simulated.figures.time), seconds(most), step.unlisted_most),
           "error_bar")
      .fact("step_most_ps", most);
}

}  // namespace a3sim
