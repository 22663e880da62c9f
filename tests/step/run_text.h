#pragma once

#include <string>
#include <vector>

#include "sim/experiment/step/training_step.h"

// Runs of training steps of small models.
namespace a3sim {

inline const std::string kFile = std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/step_of_test.yaml";

// A small model on A3. Its experts' kernels run on one die, so that nothing is simulated tile by tile.
inline constexpr const char* kSmall =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/feplb_a3.yaml, ../orders/naive.yaml]
experiment: {name: small, workload: training_step, execution: kernel}
model:
  name: small
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  intermediate: 512
  experts: 16
  top_k: 2
  layers: [embedding, 4 dense, 4 moe, head]
step: {sequence: 1024, exchange: streams}
)";

inline constexpr const char* kDense =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/cann.yaml, ../orders/naive.yaml]
experiment: {name: dense, workload: training_step, execution: kernel}
model:
  name: dense
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  layers: [embedding, 8 dense, head]
step: {sequence: 1024}
)";

// A step that ran, with what it was written from.
struct Ran {
  Experiment experiment;
  PreparedStep prepared;
  StepRun run;
  std::vector<StageAccount> accounts;
};

inline Ran run_text(const char* text, const std::vector<std::string>& set) {
  Ran ran{parse_experiment(text, kFile, set), {}, {}, {}};
  ran.prepared = prepare_step(ran.experiment);
  ran.run = run_step(ran.experiment, ran.prepared);
  ran.accounts = accounts_of(ran.run.written, ran.run.result);
  return ran;
}

}  // namespace a3sim
