#include "sim/experiment/step/step_fp8.h"

#include <fmt/format.h>

#include <vector>

namespace a3sim {

void add_fp8(const Experiment& experiment, const SimulatedStep& simulated, Report& report) {
  const StepOptions& step = simulated.prepared.plan.step;
  if (step.fp8 == Fp8Recipe::kNone) return;
  const std::vector<std::string> change{"step.fp8=none", "step.fp8_dispatch=false",
                                        "step.over_capacity=true"};
  const StepFigures wide = simulate_step(experiment.with(change)).figures;
  const double products =
      seconds(at(wide.classes, TimeClass::kGrouped) + at(wide.classes, TimeClass::kProducts)) /
      seconds(wide.time);
  const double rate = simulated.figures.peak_tflops / wide.peak_tflops;
  const double gain = seconds(wide.time) / seconds(simulated.figures.time),
               foreseen = 1 / (1 - products + products / rate);
  report
      .say(fmt::format(
               "FP8 ({}): the step is {:.3f} times as fast as in {} ({:.3f} s); products at {:g} times the "
               "rate alone would "
               "make it {:.3f}. Each cast is a kernel of its own here; no published step of these shapes "
               "tells how far to trust it.\n",
               name_of(step.fp8), gain, name_of(simulated.prepared.plan.model.dtype), seconds(wide.time),
               rate, foreseen),
           "fp8")
      .fact("fp8.speedup", gain)
      .fact("fp8.foreseen", foreseen)
      .fact("fp8.wide_step_ps", wide.time);
}

}  // namespace a3sim
