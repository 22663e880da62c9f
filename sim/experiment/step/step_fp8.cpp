#include "sim/experiment/step/step_fp8.h"

#include <fmt/format.h>

namespace a3sim {

void add_fp8(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  const StepOptions& step = simulated.prepared.plan.step;
  if (step.fp8 == Fp8Recipe::kNone) return;
  const ClassTimes& classes = simulated.figures.classes;
  const double products = seconds(at(classes, TimeClass::kGrouped) + at(classes, TimeClass::kProducts)) /
                          seconds(simulated.figures.time);
  const Hardware::Cube& cube = experiment.hardware.cube;
  const double rate =
      static_cast<double>(cube.macs_per_cycle(operand_type(step.fp8))) / cube.macs_per_cycle_16;
  const double most = 1 - products + products * rate;
  report
      .say(fmt::format("FP8 ({}): products are {:.1f} % of the step, at {:g} times the rate of {}. Were they "
                       "alone to take as much "
                       "longer, the step would be {:.3f} times as long. 'a3sim compare' of a run with "
                       "step.fp8=none and this one "
                       "simulates the gain, with casts, each of which is a kernel of its own here; no "
                       "published step of these "
                       "shapes tells how far to trust it.\n",
                       name_of(step.fp8), 100 * products, rate, name_of(simulated.prepared.plan.model.dtype),
                       most),
           "fp8")
      .fact("fp8.foreseen", most);
}

}  // namespace a3sim
