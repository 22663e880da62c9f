#include "sim/experiment/step/step_files.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

namespace a3sim {
namespace {

const std::string kPipelineFile = std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/step_of_test.yaml";

constexpr const char* kPipeline =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/cann.yaml, ../orders/naive.yaml]
experiment: {name: pipeline, workload: training_step, execution: kernel}
parallel: {pp: 4}
model:
  name: dense
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  layers: [embedding, 8 dense, head]
step: {sequence: 1024, global_batch: 6, schedule: zb_h1, split_weights: true}
)";

constexpr std::uint32_t kPipelineStages = 4, kPipelineMicroBatches = 6;

}  // namespace

TEST_CASE(
    "A step's blocks are each micro-batch's on each stage, weight gradients apart, one after the other") {
  const SimulatedStep step = simulate_step(parse_experiment(kPipeline, kPipelineFile, {}));
  const std::vector<StepBlock> blocks = blocks_of(step);
  for (const StepBlockKind work :
       {StepBlockKind::kForward, StepBlockKind::kBackward, StepBlockKind::kWeights}) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const StepBlock& block : blocks)
      if (block.work == work) CHECK(seen.insert({block.stage, block.micro_batch}).second);
    CHECK(seen.size() == kPipelineStages * kPipelineMicroBatches);
  }
  CHECK(std::ranges::count(blocks, StepBlockKind::kUpdate, &StepBlock::work) == kPipelineStages);
  std::vector<Duration> kernels(kPipelineStages), end(kPipelineStages);
  for (const StepBlock& block : blocks) {
    CHECK(block.paired == 0);
    CHECK(block.from >= end[block.stage]);
    end[block.stage] = block.to;
    kernels[block.stage] += block.kernels;
  }
  // Kernels are what is left of the step without exchanges that are exposed and waits.
  for (std::uint32_t stage = 0; stage < kPipelineStages; ++stage) {
    const ClassTimes& classes = step.accounts[stage].classes;
    Duration computed{};
    for (const TimeClass kind :
         {TimeClass::kGrouped, TimeClass::kProducts, TimeClass::kAttention, TimeClass::kVector})
      computed += at(classes, kind);
    CHECK(kernels[stage] >= computed);
    CHECK(end[stage] <= step.figures.time);
  }
}

TEST_CASE("What a step's dies hold begins with what is always there, and is at most what the summary says") {
  const SimulatedStep step = simulate_step(parse_experiment(kPipeline, kPipelineFile, {}));
  std::vector<std::uint64_t> most(kPipelineStages), last(kPipelineStages);
  std::vector<Duration> before(kPipelineStages);
  for (const StepMemory& line : memory_of(step)) {
    CHECK(line.time >= before[line.stage]);
    before[line.stage] = line.time;
    most[line.stage] = std::max(most[line.stage], line.bytes);
    last[line.stage] = line.bytes;
  }
  for (std::uint32_t stage = 0; stage < kPipelineStages; ++stage) {
    StageMemory memory = step.prepared.memory[stage];
    const double all = memory.total();
    memory.activations = 0;
    CHECK(static_cast<double>(most[stage]) == Approx(all));
    CHECK(static_cast<double>(last[stage]) == Approx(memory.total()));
  }
}

}  // namespace a3sim
