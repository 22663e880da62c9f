#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/step/training_step.h"

// One layer of DeepSeek-V3 with experts, counted by hand: which operations and which bytes a die has, and what they take at
// most and at least. The layouts are those of HyperParallel-MoE's profile and of a step without a pipeline.
namespace a3sim {
namespace {

constexpr double kTokens = 4096, kHidden = 7168, kHeads = 128, kTopK = 8, kExpertWidth = 2048, kExperts = 256;
constexpr double kQueryRank = 1536, kKeyRank = 512, kRotated = 64, kKeyWidth = 192, kValueWidth = 128;
constexpr double kBf16 = 2, kFp32 = 4;

struct OneLayer {
  double tp = 1, dp = 1, ep = 1;

  double own_tokens() const { return kTokens / tp; }
  double rows() const { return own_tokens() * kTopK; }  // that a die's experts get, as routing is balanced
  // Operations of the products around the experts: the projections of latent attention, the router, the shared expert.
  double products() const {
    const double down = own_tokens() * kHidden * (kQueryRank + kKeyRank + kRotated);
    const double up =
        kTokens * kHeads / tp * (kQueryRank * kKeyWidth + kKeyRank * (kKeyWidth - kRotated + kValueWidth));
    const double out = kTokens * kHeads / tp * kValueWidth * kHidden;
    const double router = own_tokens() * kHidden * kExperts,
                 shared = kTokens * 3 * kHidden * kExpertWidth / tp;
    return 2 * (down + up + out + router + shared);
  }
  // Of causal attention: scores and values forward, five products backward.
  double attention() const { return kHeads / tp * kTokens * kTokens * (kKeyWidth + kValueWidth); }
  double attention_backward() const {
    return kHeads / tp * kTokens * kTokens * (3 * kKeyWidth + 2 * kValueWidth);
  }
  double experts() const { return 2 * 3 * rows() * kHidden * kExpertWidth; }

  double weights() const {  // of a die, without routed experts; a router's and down projections are not split
    const double split = kHeads * (kQueryRank * kKeyWidth + kKeyRank * (kKeyWidth - kRotated + kValueWidth) +
                                   kValueWidth * kHidden) +
                         3 * kHidden * kExpertWidth;
    const double norms = 2 * kHidden + kQueryRank + kKeyRank;
    return split / tp + kHidden * (kQueryRank + kKeyRank + kRotated + kExperts) + norms;
  }
  double expert_weights() const { return kExperts / ep * 3 * kHidden * kExpertWidth; }
  // Gathered latents, gathered input of the shared expert, and two sums that are scattered.
  double tp_sent() const {
    return kTokens * (kQueryRank + kKeyRank + kRotated + 3 * kHidden) * kBf16 * (tp - 1) / tp;
  }
  double ep_sent() const { return rows() * kHidden * kBf16 * (ep - 1) / ep; }
};

struct LayerRun {
  Experiment experiment;
  PreparedStep prepared;
  StepRun run;
  ClassTimes classes{};

  const BlockTimes& block() const { return prepared.blocks.front(); }
  double peak() const {
    const Hardware& hardware = experiment.hardware;
    return 2.0 * hardware.cube.macs_per_cycle_16 * hardware.workers.count(CoreUnit::kMatrix) *
           static_cast<double>(hardware.clock.count);
  }
  double bytes_of(StepTask::Kind kind) const {
    double sum = 0;
    for (std::size_t t = 0; t < run.written.tasks.size(); ++t)
      if (run.written.tasks[t].kind == kind)
        for (const StreamTransfer& transfer : run.written.program.tasks[t].transfers)
          sum += static_cast<double>(transfer.bytes.count);
    return sum;
  }
  double time_of(TimeClass kind) const { return seconds(at(classes, kind)); }
};

LayerRun run_one_layer(std::vector<std::string> set) {
  for (const char* common :
       {"model.layers=[moe]", "parallel.pp=1", "parallel.vpp=1", "step.schedule=none", "step.overlap=none"})
    set.emplace_back(common);
  LayerRun layer{
      load_experiment(configs_folder() / "experiments" / "step_deepseek_v3.yaml", set), {}, {}, {}};
  layer.prepared = prepare_step(layer.experiment);
  layer.run = run_step(layer.experiment, layer.prepared);
  layer.classes = accounts_of(layer.run.written, layer.run.result).front().classes;
  return layer;
}

void check_layer(const LayerRun& run, const OneLayer& layer, bool again) {
  const double passes = again ? 4 : 3;
  const double all = passes * (layer.products() + layer.experts()) + (passes - 2) * layer.attention() +
                     layer.attention_backward();
  CHECK(run.block().flops_run == Approx(all).epsilon(0.002));
  CHECK(run.block().dense_parameters == Approx(layer.weights()).epsilon(0.001));
  CHECK(run.block().expert_parameters == Approx(layer.expert_weights()));

  // No class of products is faster than the peak, none reaches less than half of it.
  const auto check_time = [&](TimeClass kind, double flops) {
    CHECK(run.time_of(kind) > flops / run.peak());
    CHECK(run.time_of(kind) < 2 * flops / run.peak());
  };
  check_time(TimeClass::kGrouped, passes * layer.experts());
  check_time(TimeClass::kProducts, passes * layer.products());
  CHECK(run.time_of(TimeClass::kAttention) >
        ((passes - 2) * layer.attention() + layer.attention_backward()) / run.peak());

  double tp = 0;
  for (const PartWork& part : run.block().forward) tp += part.tp_sent;
  CHECK(tp == Approx(layer.tp_sent()));
  const ExpertPass& experts = run.block().experts.front().forward;
  CHECK(experts.sent == Approx(2 * layer.ep_sent()).epsilon(0.001));
  // Rows come and go in each pass: twice forward, twice backward, twice again.
  CHECK(run.bytes_of(StepTask::Kind::kEp) == Approx((again ? 6 : 4) * layer.ep_sent()).epsilon(0.001));
}

TEST_CASE("a layer of the profile has the operations and bytes of its closed forms") {
  const OneLayer layer{2, 16, 32};
  check_layer(run_one_layer({"parallel.dp=16", "step.global_batch=16", "step.recompute=[]"}), layer, false);
  check_layer(run_one_layer({"parallel.dp=16", "step.global_batch=16"}), layer, true);
}

TEST_CASE(
    "a layer whose experts are split over both dies of a TP group has the operations of the same closed "
    "forms") {
  const OneLayer layer{2, 16, 16};
  const LayerRun run = run_one_layer(
      {"parallel.dp=16", "parallel.ep=16", "parallel.etp=2", "step.global_batch=16", "step.recompute=[]"});
  CHECK(run.block().expert_parameters == Approx(layer.expert_weights() / 2));
  CHECK(run.block().flops_run ==
        Approx(3 * (layer.products() + layer.experts()) + layer.attention() + layer.attention_backward())
            .epsilon(0.002));
  const double grouped = 3 * layer.experts() / run.peak();
  CHECK(run.time_of(TimeClass::kGrouped) > grouped);
  CHECK(run.time_of(TimeClass::kGrouped) < 2 * grouped);
  CHECK(run.bytes_of(StepTask::Kind::kEp) == Approx(4 * layer.ep_sent()).epsilon(0.001));
  const ExpertPass& pass = run.block().experts.front().forward;
  CHECK(pass.experts.tp_sent == Approx(2 * layer.rows() * kHidden * kBf16));
  CHECK_THROWS_WITH(run_one_layer({"parallel.dp=16", "parallel.ep=16", "parallel.etp=2",
                                   "step.global_batch=16", "experiment.execution=static"}),
                    Catch::Contains("parallel.etp"));
}

TEST_CASE(
    "a layer without a pipeline, of 128 dies with spread weights and swapped states, has those of its own") {
  const OneLayer layer{4, 32, 128};
  const LayerRun run = run_one_layer(
      {"parallel.tp=4", "parallel.dp=32", "parallel.ep=128", "step.global_batch=32", "step.fsdp=true"});
  check_layer(run, layer, true);
  // Weights are gathered forward and backward, gradients scattered once, in fp32. No other die has the same experts.
  CHECK(run.bytes_of(StepTask::Kind::kDp) ==
        Approx(layer.weights() * (2 * kBf16 + kFp32) * 31 / 32).epsilon(0.001));
  // Both moments and the master weights come from the host and go back, in 16 slices, one way beside the other.
  const double states = (layer.expert_weights() + layer.weights() / 32) * 3 * kFp32;
  CHECK(run.time_of(TimeClass::kOptimizer) == Approx(states / 25e9 * 17 / 16).epsilon(0.02));
}

}  // namespace
}  // namespace a3sim
