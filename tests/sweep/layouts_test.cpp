#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/step/training_step.h"
#include "sim/sweep/results/decisions.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

constexpr std::string_view kAxes =
    "    tp: {key: parallel.tp, values: [1, 2, 3]}\n"
    "    batch: {key: step.micro_batch, values: [1, 4, 5]}\n"
    "    again: {key: step.recompute, values: [[], [all]]}\n";

std::string layouts(const std::string& more) {
  return sweep_text(std::string(kAxes), more, "step_qwen3_8b", "parallel.dies: 16, parallel.dp: auto");
}

// Whether the experiment is taken at a position, and with how many DP ranks.
std::uint32_t dp_at(std::uint32_t tp, std::uint32_t batch, bool again) {
  const std::vector<std::string> set{
      "parallel.dp=auto", "parallel.dies=16", fmt::format("parallel.tp={}", tp),
      fmt::format("step.micro_batch={}", batch), again ? "step.recompute=[all]" : "step.recompute=[]"};
  try {
    return training_plan_of(load_experiment(configs_folder() / "experiments/step_qwen3_8b.yaml", set))
        .step.dp;
  } catch (const InputError&) {
    return 0;
  }
}

TEST_CASE("a sweep leaves out layouts that are refused, where it says so, and tells why by key") {
  const SweepFolder folder;
  CHECK_THROWS_WITH(planned(folder, layouts("")),
                    Catch::Contains("parallel.dies: 16 dies in groups of 3") && Catch::Contains("capacity"));
  const SweepPlan plan = planned(folder, layouts("  refused: leave_out\n"));
  std::size_t legal = 0;
  for (const std::uint32_t tp : {1, 2, 3}) {
    for (const std::uint32_t batch : {1, 4, 5}) {
      for (const bool again : {false, true}) {
        const std::uint32_t dp = dp_at(tp, batch, again);
        legal += dp > 0;
        if (dp > 0) CHECK(dp == 16 / tp);
      }
    }
  }
  CHECK(plan.positions.size() == legal);
  std::size_t refused = 0;
  for (const auto& [key, refusal] : plan.refused) refused += refusal.positions;
  CHECK(refused + legal == 3 * 3 * 2);
  CHECK(plan.refused.contains("parallel.dies"));  // 3 divides no 16
  CHECK(plan.refused.contains("step.capacity"));  // four samples that nothing computes again
  CHECK_THROWS_WITH(
      planned(folder, sweep_text("    tp: {key: parallel.tp, values: [3]}\n", "  refused: leave_out\n",
                                 "step_qwen3_8b", "step.micro_batch: 1")),
      Catch::Contains("parallel.tp"));  // none is left
}

TEST_CASE("a sweep of training steps records times by class that sum to the step, and what dies hold") {
  const SweepFolder folder;
  const SweepPlan plan = planned(folder, sweep_text("    again: {key: step.recompute, values: [[], [all]]}\n",
                                                    "", "step_qwen3_8b", "step.global_batch: 16"));
  CHECK(run_sweep(plan, into(folder / "s.db")).done == 2);
  CHECK(run_sweep(plan, into(folder / "s.db")).known == 2);
  const SweepResults results = read_results(folder / "s.db").front();
  const ResultMetric& latency = results.metric("total", "latency");
  for (const std::size_t point : {0, 1}) {
    double sum = 0;
    for (const ResultMetric& metric : results.metrics)
      if (metric.name.starts_with("step.")) sum += metric.values[point];
    CHECK(sum == Approx(latency.values[point]).epsilon(1e-9));
    // 16 samples of 4,096 tokens on 16 dies.
    CHECK(results.metric("total", "tokens").values[point] == Approx(4096 / (1e-3 * latency.values[point])));
  }
  CHECK(results.metric("total", "memory").values[0] > results.metric("total", "memory").values[1]);
  CHECK(latency.values[0] < latency.values[1]);

  const std::vector<Decision> decisions = decisions_of(results, objective_of(results, "total", "latency"), 0);
  REQUIRE(decisions.size() == 1);
  CHECK(decisions[0].worse == Approx(latency.values[1] / latency.values[0] - 1));
  double changes = 0;
  for (const Decision::Change& change : decisions[0].changes) changes += change.value;
  CHECK(changes == Approx(latency.values[1] - latency.values[0]).epsilon(1e-6));
}

}  // namespace
}  // namespace a3sim
