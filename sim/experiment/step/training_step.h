#pragma once

#include <memory>
#include <vector>

#include "sim/experiment/bounds.h"
#include "sim/experiment/step/step_accounts.h"
#include "sim/experiment/step/step_memory.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// A model and how it is trained, as an experiment's configuration says.
struct TrainingPlan {
  StepOptions step;
  ModelShape model;
};
// The work of such an experiment.
class TrainingWork : public ExperimentWork {
 public:
  virtual const TrainingPlan& plan() const = 0;
};
// Of an experiment whose workload is `training_step`; nullptr: it is another one.
const TrainingPlan* training_plan(const Experiment& experiment);
// Throws InputError where the experiment's workload is another one.
const TrainingPlan& training_plan_of(const Experiment& experiment);

// A step, laid out and with the times of its blocks, to be written and run.
struct PreparedStep {
  TrainingPlan plan;
  StageLayout layout;
  StageOrders orders;
  std::vector<BlockTimes> blocks;   // by kind of the layout
  std::vector<StageMemory> memory;  // by stage, foreseen
};
PreparedStep prepare_step(const Experiment& experiment);

// Empty, or which die's memory does not suffice, by how much, and what would make it do. Asks for no times.
std::string over_capacity(const TrainingPlan& plan);

struct StepRun {
  StepProgram written;
  StreamResult result;
};
StepRun run_step(const Experiment& experiment, const PreparedStep& prepared, TaskHooks* hooks = nullptr);

// What no run of a step can beat: its busiest die's kernels, and one micro-batch's way through all chunks and back.
Bounds step_bounds(const PreparedStep& prepared, const StepProgram& written);

// What a step comes to.
struct StepFigures {
  Duration time{};
  double tokens_a_die = 0;  // a second
  double model_tflops = 0;  // a die, of what the model needs
  double peak_tflops = 0;   // of a die's matrix units
  double mfu = 0;           // part of the peak
  double mac_ratio = 0;     // part of the peak that cubes do while kernels run on them
  double kernels = 0;       // that a die runs, of its stage with the most
  Duration active{};        // while anything runs, of that stage
  ClassTimes classes{};     // means over stages; they sum to the time
  std::array<ExchangeAccount, kCountOf<ExchangeFor>> exchanges{};  // likewise
  ExchangeAccount paired, unpaired;                                // of EP, likewise
  double experts_share = 0;                                        // of the time, MoE-FFN
  double peak_memory = 0;                                          // bytes, of the fullest die
  std::uint32_t fullest = 0;                                       // its stage
};
StepFigures figures_of(const Experiment& experiment, const PreparedStep& prepared, const StepRun& run,
                       const std::vector<StageAccount>& accounts);

}  // namespace a3sim
