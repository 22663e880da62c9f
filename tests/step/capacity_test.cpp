#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/step/run_text.h"

namespace a3sim {
namespace {

Ran with_capacity(const std::vector<std::string>& more) {
  std::vector<std::string> set = {"parallel.dp=4", "parallel.ep=4", "step.global_batch=8",
                                  "program.bulk.once_a_rank=false"};
  set.insert(set.end(), more.begin(), more.end());
  return run_text(kSmall, set);
}

const BlockTimes& experts_block(const Ran& ran) {
  return *std::ranges::find_if(ran.prepared.blocks, [](const BlockTimes& b) { return !b.experts.empty(); });
}

double sent_to_experts(const Ran& ran) { return experts_block(ran).experts.front().forward.sent; }

}  // namespace

TEST_CASE("balanced experts drop nothing at their mean, and are filled up beyond it") {
  const Ran all = with_capacity({}), mean = with_capacity({"step.expert_capacity=1"}),
            filled = with_capacity({"step.expert_capacity=1.5", "step.pad_experts=true"});
  CHECK(mean.run.result.makespan == all.run.result.makespan);
  CHECK(experts_block(mean).experts.front().limit.dropped == 0);
  CHECK(experts_block(filled).experts.front().limit.part == Approx(1.5));
  CHECK(sent_to_experts(filled) == Approx(1.5 * sent_to_experts(all)).epsilon(1e-4));
  // Four of its layers' passes compute 6 operations for each weight and row: hidden 1024, width 512, two experts per token.
  const double experts = 3.0 * 6 * 1024 * 2 * 1024 * 512;
  CHECK(experts_block(filled).flops_run - experts_block(all).flops_run ==
        Approx(0.5 * experts).epsilon(1e-6));
  CHECK(experts_block(filled).kept > experts_block(all).kept);
  CHECK(filled.run.result.makespan > all.run.result.makespan);
}

TEST_CASE("rows beyond an expert's capacity are dropped, rank by rank") {
  const std::vector<std::string> skewed = {"routing.kind=sampled", "routing.skew=1", "routing.seed=3",
                                           "step.draws=1"};
  std::vector<std::string> limited = skewed;
  limited.emplace_back("step.expert_capacity=1.25");
  const Ran all = with_capacity(skewed), some = with_capacity(limited);
  // Each rank has 1,024 tokens, that choose two of 16 experts: 128 rows to each, of which 160 are taken.
  const RoutingCounts counts = routing_of(all.experiment);
  double beyond = 0, sum = 0;
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (const std::uint32_t rows : counts.source(rank)) {
      sum += rows;
      beyond += std::max(0.0, rows - 160.0);
    }
  REQUIRE(beyond > 0);
  const RowLimit limit = experts_block(some).experts.front().limit;
  CHECK(limit.dropped == Approx(beyond / sum));
  CHECK(limit.part == Approx(1 - beyond / sum));
  CHECK(some.run.result.makespan < all.run.result.makespan);
  CHECK(experts_block(some).experts.front().forward.busiest <
        experts_block(all).experts.front().forward.busiest);
  CHECK_THROWS_WITH(with_capacity({"step.pad_experts=true"}), Catch::Contains("step.expert_capacity"));
}

TEST_CASE("a layer that runs tile by tile sends and computes the rows that its experts' capacity leaves") {
  const auto layer = [](std::vector<std::string> set) {
    for (const char* common : {"model.layers=[moe]", "parallel.pp=1", "parallel.vpp=1", "step.schedule=none",
                               "step.overlap=none", "parallel.dp=4", "parallel.ep=8", "step.global_batch=4",
                               "step.over_capacity=true", "step.sequence=1024"})
      set.emplace_back(common);
    const PreparedStep prepared =
        prepare_step(load_experiment(configs_folder() / "experiments" / "step_deepseek_v3.yaml", set));
    return prepared.blocks.front().experts.front();
  };
  const ExpertTimes all = layer({}), filled = layer({"step.expert_capacity=1.25", "step.pad_experts=true"});
  CHECK(filled.forward.sent == Approx(1.25 * all.forward.sent).epsilon(0.001));
  CHECK(seconds(at(filled.forward.experts.classes, TimeClass::kGrouped)) >
        1.02 * seconds(at(all.forward.experts.classes, TimeClass::kGrouped)));
}

}  // namespace a3sim
