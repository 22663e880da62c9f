#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/step/run_text.h"

// Products of layers in eight bits, counted by hand.
namespace a3sim {
namespace {

constexpr double kStepTokens = 4096, kModelWidth = 4096, kWide = 2, kPlain = 1, kScaled = 1 + 1.0 / 32;

const char* const kDenseH100 =
    R"(include: [../hardware/h100_node.yaml, ../programs/deepep.yaml, ../orders/naive.yaml]
experiment: {name: fp8, workload: training_step, execution: kernel}
model:
  name: fp8
  hidden: 4096
  vocabulary: 4096
  attention: {heads: 32, kv_heads: 32, head_dim: 128}
  dense_intermediate: 8192
  layers: [dense]
step: {sequence: 4096, global_batch: 1}
)";
const char* const kMoeH100 =
    R"(include: [../hardware/h100_node.yaml, ../programs/deepep.yaml, ../orders/naive.yaml]
experiment: {name: fp8, workload: training_step, execution: kernel}
model:
  name: fp8
  hidden: 4096
  vocabulary: 4096
  attention: {heads: 32, kv_heads: 32, head_dim: 128}
  intermediate: 2048
  experts: 16
  top_k: 2
  layers: [moe]
step: {sequence: 4096, exchange: streams}
)";

// Of one layer: input and output of its four products (qkv, attention's output, gate and up, down), and its weights.
constexpr double kInputs = kModelWidth + kModelWidth + kModelWidth + 8192,
                 kOutputs = 3 * kModelWidth + kModelWidth + 2 * 8192 + kModelWidth;
constexpr double kWeights = kModelWidth * (3 * kModelWidth + kModelWidth + 3 * 8192);

Block block_of(const Ran& ran) {
  const TrainingPlan& plan = ran.prepared.plan;
  return BlockKinds::get(plan.model.layers.front()).block(plan.model, plan.step.block_layout());
}

// The bytes that casts read and write.
double cast_bytes(const std::vector<BlockKernel>& kernels) {
  double bytes = 0;
  for (const BlockKernel& kernel : kernels)
    if (kernel.name.ends_with("cast"))
      if (const auto* const vector = std::get_if<BlockVector>(&kernel.work))
        bytes += vector->read + vector->written;
  return bytes;
}

double kept_by_block(const Ran& ran) { return block_of(ran).kept({}); }

double sent(const ExchangeWork& work) {
  double bytes = 0;
  for (const StreamTransfer& transfer : work.transfers) bytes += static_cast<double>(transfer.bytes.count);
  return bytes;
}

Ran dense(const std::string& recipe, std::vector<std::string> more = {}) {
  more.push_back("step.fp8=" + recipe);
  return run_text(kDenseH100, more);
}

TEST_CASE("products in FP8 take their operations at the rate of FP8") {
  const Ran wide = dense("none"), narrow = dense("delayed");
  const double peak = 2.0 * 4096 * 132 * 1830e6 * narrow.experiment.hardware.cube.sustained;
  const double least = 3 * 2 * kStepTokens * kWeights / peak;  // forward and both gradients
  const double time = seconds(at(narrow.accounts[0].classes, TimeClass::kProducts));
  CHECK(time > least);
  CHECK(time < 1.2 * least);
  CHECK(time > 0.45 * seconds(at(wide.accounts[0].classes, TimeClass::kProducts)));
  // Attention stays as it is.
  CHECK(at(narrow.accounts[0].classes, TimeClass::kAttention) ==
        at(wide.accounts[0].classes, TimeClass::kAttention));
}

TEST_CASE(
    "operands are cast twice over: for the product and for the gradient that sums along the other side") {
  const auto expect = [](const std::string& recipe, double per_element) {
    const Block block = block_of(dense(recipe));
    CHECK(cast_bytes(block.forward) == Approx(kStepTokens * kInputs * per_element));
    CHECK(cast_bytes(block.activation_gradient) == Approx(kStepTokens * kOutputs * per_element));
    CHECK(cast_bytes(block.weight_gradient) == 0);
  };
  expect("none", 0);
  expect("delayed", kWide + 2 * kPlain);
  expect("tensorwise", kWide + kWide + 2 * kPlain);  // the largest element is found first
  expect("blockwise", kWide + 2 * kScaled);
}

TEST_CASE(
    "a die holds both copies of weights in eight bits, and keeps inputs of products in eight bits alone") {
  const Ran wide = dense("none"), narrow = dense("blockwise");
  CHECK(narrow.prepared.memory[0].weights - wide.prepared.memory[0].weights ==
        Approx(2 * kScaled * kWeights));
  CHECK(narrow.prepared.memory[0].states == wide.prepared.memory[0].states);
  // Both norms' and SwiGLU's results are kept in eight bits alone; attention's result in 16 for its own gradient, too.
  CHECK(kept_by_block(wide) - kept_by_block(narrow) ==
        Approx(kStepTokens * ((2 * kModelWidth + 8192) * (kWide - kScaled) - kModelWidth * kScaled)));
}

TEST_CASE("weights are cast once a step, or in each pass that gathers them") {
  const auto casts = [](const Ran& ran) {
    return std::ranges::count_if(ran.run.written.program.tasks,
                                 [](const StreamTask& task) { return task.name.starts_with("Cast"); });
  };
  const std::vector<std::string> eight = {"parallel.dp=8", "step.global_batch=32", "model.layers=[4 dense]"};
  CHECK(casts(dense("none", eight)) == 0);
  // 177 million parameters a layer fill a bucket.
  CHECK(casts(dense("blockwise", eight)) == 4);
  std::vector<std::string> spread = eight;
  spread.emplace_back("step.fsdp=true");
  CHECK(casts(dense("blockwise", spread)) == 4 * 4 * 2);  // layers, micro-batches, passes
  const Ran ran = dense("blockwise", spread);
  CHECK(ran.prepared.memory[0].gathered ==
        Approx(dense("none", spread).prepared.memory[0].gathered + kScaled * kWeights));
}

TEST_CASE("TP gathers operands in eight bits and sums results in 16") {
  const auto bytes = [](const std::string& recipe) {
    double sum = 0;
    const Ran ran = dense(recipe, {"parallel.tp=8"});
    for (const PartWork& part : ran.prepared.blocks.front().forward) sum += part.tp_sent;
    return sum;
  };
  // A layer gathers the rows of two products and scatters the sums of two.
  const double all = kStepTokens * kModelWidth * 7 / 8;
  CHECK(bytes("none") == Approx(2 * all * kWide + 2 * all * kWide));
  CHECK(bytes("blockwise") == Approx(2 * all * kScaled + 2 * all * kWide));
  CHECK(cast_bytes(block_of(dense("blockwise", {"parallel.tp=8"})).forward) ==
        Approx(kStepTokens * (2 * kModelWidth / 8 + (kModelWidth + 8192) / 8) * (kWide + 2 * kScaled)));
  // Gradients of gathered sums are cast before they are gathered.
  CHECK(cast_bytes(block_of(dense("blockwise", {"parallel.tp=8"})).activation_gradient) ==
        Approx(kStepTokens * kOutputs / 8 * (kWide + 2 * kScaled)));
}

TEST_CASE("rows go to experts in eight bits if that is said, and come back in 16") {
  const auto pass = [](std::vector<std::string> set) {
    set.emplace_back("parallel.ep=8");
    return run_text(kMoeH100, set).prepared.blocks.front().experts.front();
  };
  const ExpertTimes wide = pass({}), same = pass({"step.fp8=blockwise"}),
                    narrow = pass({"step.fp8=blockwise", "step.fp8_dispatch=true"});
  for (const auto of : {&ExpertTimes::forward, &ExpertTimes::backward}) {
    CHECK(sent((same.*of).in) == sent((wide.*of).in));
    CHECK(sent((narrow.*of).in) == Approx(sent((wide.*of).in) * kScaled / kWide).epsilon(1e-6));
    CHECK(sent((narrow.*of).out) == sent((wide.*of).out));
    CHECK((same.*of).experts.alone() < (wide.*of).experts.alone());
    CHECK((narrow.*of).experts.alone() < (same.*of).experts.alone());  // they need not be cast from 16 bits
    CHECK((same.*of).experts.calls == (wide.*of).experts.calls);
  }
  CHECK(same.backward.weights.alone() < wide.backward.weights.alone());
}

TEST_CASE("what cannot multiply in FP8 is refused, with what to change") {
  CHECK_THROWS_WITH(run_text(kDense, {"step.fp8=blockwise"}), Catch::Contains("step.fp8") &&
                                                                  Catch::Contains("macs_fp8") &&
                                                                  Catch::Contains("expected none"));
  CHECK_THROWS_WITH(run_text(kMoeH100, {"step.fp8=blockwise", "step.exchange=taskflow"}),
                    Catch::Contains("step.exchange=streams"));
  CHECK_THROWS_WITH(dense("delayed", {"step.fp8_dispatch=true"}), Catch::Contains("step.fp8=blockwise"));
  CHECK_THROWS_WITH(dense("none", {"model.dtype=int8"}), Catch::Contains("step.fp8"));
}

}  // namespace
}  // namespace a3sim
