#pragma once

#include <optional>

#include "sim/experiment/run/run_outcome.h"
#include "sim/experiment/step/training_step.h"

namespace a3sim {

// A training step that has run.
struct SimulatedStep {
  PreparedStep prepared;
  StepRun run;
  std::vector<StageAccount> accounts;  // one per stage
  StepFigures figures;
};
SimulatedStep simulate_step(const Experiment& experiment);
// Fills in the accounts and the figures of a step that has run.
void measure(const Experiment& experiment, SimulatedStep& step);

// Compares a step with the same step that runs each operator of its experts as a kernel, to tell what faster
// experts are worth.
struct FasterExperts {
  SimulatedStep by_kernels;
  double speedup = 0;    // of the MoE-FFN alone, all passes of one layer
  double foreseen = 0;   // of the step, by Amdahl's law
  double simulated = 0;  // of the step
};
// Returns nullopt if the step has no experts, or already runs them as kernels.
std::optional<FasterExperts> compare_with_kernels(const Experiment& experiment, const SimulatedStep& step);

// Tells a step: its time, where each die's time goes, what hides exchanges, memory, the worth of faster
// experts, and what the answer depends on.
OwnSections step_sections(const Experiment& experiment, const SimulatedStep& step);

// Returns the outcome of a step, with stages as ranks. The step is as it was once this returns.
RunOutcome step_outcome(const Experiment& experiment, SimulatedStep& step, Record record);

}  // namespace a3sim
