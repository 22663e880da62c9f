#pragma once

#include <memory>
#include <vector>

#include "sim/experiment/step/step_accounts.h"
#include "sim/experiment/step/step_memory.h"
#include "sim/experiment/step/training_plan.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// A step, laid out and with the times of its blocks, ready to be written and run.
struct PreparedStep {
  TrainingPlan plan;
  StageLayout layout;
  StageOrders orders;
  std::vector<BlockTimes> blocks;   // one entry per kind in `layout`
  std::vector<StageMemory> memory;  // one entry per stage, estimated before the run
};
PreparedStep prepare_step(const Experiment& experiment);

// Returns the times of the model's experts by draw of the routing; null if it has none.
const std::vector<ExpertTimes>* experts_of(const PreparedStep& prepared);

// Returns which die's memory does not suffice, by how much, and what would help; empty if it suffices. Does
// not need times.
std::string over_capacity(const TrainingPlan& plan);

struct StepRun {
  StepProgram written;
  StreamResult result;
};
StepRun run_step(const Experiment& experiment, const PreparedStep& prepared, TaskHooks* hooks = nullptr);

// The measures of a step.
struct StepFigures {
  Duration time{};
  double tokens_a_die = 0;  // per second and die
  double model_tflops = 0;  // per die, counting only what the model needs
  double peak_tflops = 0;   // per die, of its matrix units: in eight bits, if layers multiply in these
  double mfu = 0;           // part of the peak
  double mac_ratio = 0;     // part of the peak that cubes reach while kernels run on them
  double kernels = 0;       // kernels that a die runs, on the stage with the most
  Duration active{};        // time in which anything runs, on that stage
  ClassTimes classes{};     // means over stages; they sum to the time
  std::array<ExchangeAccount, kCountOf<ExchangeFor>> exchanges{};  // means over stages
  ExchangeAccount paired, unpaired;                                // EP exchanges, means over stages
  double experts_share = 0;                                        // part of the time that the MoE-FFN takes
  std::vector<double> activations;  // by stage: the most bytes that wait for backward passes
  double peak_memory = 0;           // in bytes, of the fullest die
  std::uint32_t fullest = 0;        // stage of the fullest die
};
StepFigures figures_of(const Experiment& experiment, const PreparedStep& prepared, const StepRun& run,
                       const std::vector<StageAccount>& accounts);

}  // namespace a3sim
