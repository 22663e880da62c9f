#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "sim/experiment/step/training_step.h"

namespace a3sim {
namespace {

const std::string kNaturalFile =
    std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/natural_step_of_test.yaml";

constexpr const char* kNaturalModel =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/feplb_a3.yaml, ../orders/naive.yaml]
experiment: {name: natural, workload: training_step, execution: kernel}
model:
  name: natural
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  intermediate: 512
  experts: 16
  top_k: 2
  layers: [embedding, 4 moe, head]
parallel: {dp: 4, ep: 4}
step: {sequence: 1024, exchange: streams, global_batch: 32}
)";

const std::string kLognormal = "routing={kind: lognormal, busiest: 1.3, seed: 3}";

struct NaturalRun {
  PreparedStep prepared;
  Duration time{};
};

NaturalRun run_natural(const std::vector<std::string>& set) {
  const Experiment experiment = parse_experiment(kNaturalModel, kNaturalFile, set);
  NaturalRun run{prepare_step(experiment), {}};
  run.time = run_step(experiment, run.prepared).result.makespan;
  return run;
}

TEST_CASE("balanced routing has one draw, whatever step.draws says") {
  const NaturalRun one = run_natural({"step.draws=1"}), many = run_natural({});
  CHECK(experts_of(many.prepared)->size() == 1);
  CHECK(one.time == many.time);
}

TEST_CASE("a step whose layers draw takes the experts of the draws that they have") {
  const NaturalRun balanced = run_natural({}), natural = run_natural({kLognormal});
  const std::vector<ExpertTimes>& draws = *experts_of(natural.prepared);
  REQUIRE(draws.size() == 8);
  const Duration even = experts_of(balanced.prepared)->front().alone(false);
  Duration expected = balanced.time;
  std::vector<std::uint32_t> used(8, 0);
  // Blocks 1 to 4 are the layers.
  for (std::uint32_t layer = 1; layer <= 4; ++layer) {
    for (std::uint32_t batch = 0; batch < 8; ++batch) {
      const std::uint32_t draw = draw_number(3, 8, layer, batch);
      ++used[draw];
      expected += draws[draw].alone(false) - even;
    }
  }
  CHECK(seconds(natural.time) == Approx(seconds(expected)).epsilon(0.002));
  CHECK(natural.time > balanced.time);
  CHECK(std::ranges::count(used, 0U) <= 2);
  CHECK(draws[0].forward.busiest != draws[1].forward.busiest);
}

TEST_CASE("with the same tokens per rank, skew costs the same seconds per micro-batch at any length") {
  const auto cost = [](const std::vector<std::string>& layout) {
    std::vector<std::string> natural = layout;
    natural.push_back(kLognormal);
    return seconds(run_natural(natural).time - run_natural(layout).time);
  };
  const double one = cost({}), two = cost({"parallel.cp=2", "step.sequence=2048"}),
               four = cost({"parallel.cp=4", "step.sequence=4096"});
  CHECK(one > 0);
  CHECK(two == Approx(one).epsilon(0.01));
  CHECK(four == Approx(one).epsilon(0.01));
}

TEST_CASE("stages wait for the slowest of their draws") {
  const std::vector<std::string> pipeline{"parallel.pp=4", "step.global_batch=64"};
  std::vector<std::string> natural = pipeline;
  natural.push_back(kLognormal);
  const NaturalRun even = run_natural(pipeline), uneven = run_natural(natural);
  const std::vector<ExpertTimes>& draws = *experts_of(uneven.prepared);
  double mean = 0;
  for (const ExpertTimes& times : draws) mean += seconds(times.alone(false)) / 8;
  // Each stage has one layer and 16 micro-batches. What varies makes a pipeline slower than its mean would.
  const double by_mean =
      seconds(even.time) + 16 * (mean - seconds(experts_of(even.prepared)->front().alone(false)));
  CHECK(seconds(uneven.time) > by_mean);
}

TEST_CASE("draws do not depend on threads, nor on layouts") {
  Duration others[2];
  {
    std::thread first([&] { others[0] = run_natural({kLognormal}).time; });
    std::thread second([&] { others[1] = run_natural({kLognormal}).time; });
    first.join();
    second.join();
  }
  CHECK(others[0] == others[1]);
  CHECK(others[0] == run_natural({kLognormal}).time);
  CHECK(draw_number(3, 8, 2, 5) == draw_number(3, 8, 2, 5));
}

TEST_CASE("a run of the taskflow has a draw each, and waits for its busiest rank") {
  const NaturalRun tiles =
      run_natural({kLognormal, "step.exchange=taskflow", "step.draws=3", "step.global_batch=8"});
  const std::vector<ExpertTimes>& draws = *experts_of(tiles.prepared);
  REQUIRE(draws.size() == 3);
  for (const ExpertTimes& times : draws) {
    CHECK(times.forward.busiest > 1);
    CHECK(times.forward.busiest == times.backward.busiest);
    CHECK(times.forward.alone > Duration::zero());
  }
  CHECK(draws[0].alone(false) != draws[1].alone(false));
  const auto [least, most] =
      std::ranges::minmax_element(draws, {}, [](const ExpertTimes& times) { return times.forward.busiest; });
  CHECK(most->alone(false) > least->alone(false));
}

}  // namespace
}  // namespace a3sim
