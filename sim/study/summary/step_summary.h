#pragma once

#include <optional>

#include "sim/experiment/step/training_step.h"
#include "sim/study/summary/report.h"
#include "sim/study/summary/stream_summary.h"

namespace a3sim {

// A training step, run.
struct SimulatedStep {
  PreparedStep prepared;
  StepRun run;
  std::vector<StageAccount> accounts;  // by stage
  StepFigures figures;
};
SimulatedStep simulate_step(const Experiment& experiment);

// The same step with its experts' operators as one kernel each, and what it says about experts that are faster.
struct FasterExperts {
  SimulatedStep by_kernels;
  double speedup = 0;    // of the MoE-FFN alone, all passes of one layer
  double foreseen = 0;   // of the step, by Amdahl's law
  double simulated = 0;  // of the step
};
// nullopt where there are no experts, or they run as kernels already.
std::optional<FasterExperts> compare_with_kernels(const Experiment& experiment, const SimulatedStep& step);

// What a step has to say: how long it takes, where each die's time goes, what hides exchanges, memory, what faster
// experts are worth, and what the answer hangs on.
RunSummary step_summary(const Experiment& experiment, const SimulatedStep& step);

// The step as a pass on streams: ranks are stages.
NamedStreamPass step_trace(const Experiment& experiment, const SimulatedStep& step);

}  // namespace a3sim
