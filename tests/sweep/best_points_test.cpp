#include "sim/sweep/best_points.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "sim/experiment/step/least_step_time.h"
#include "sim/experiment/step/training_step.h"
#include "sim/sweep/results/sweep_results.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

struct RandomPoint {
  double least = 0, latency = 0;
};

// Runs points as `workers` processes would, each of which ends at a random time. Returns the points that are settled, sorted.
std::vector<std::uint64_t> settled_points(const std::vector<RandomPoint>& points, std::size_t best_of,
                                          std::size_t workers, std::mt19937& random) {
  std::vector<BestPoints::Bounded> bounded;
  for (std::size_t p = 0; p < points.size(); ++p) bounded.push_back({p, points[p].least});
  BestPoints best(best_of, bounded, {});
  std::vector<std::uint64_t> running, settled;
  while (true) {
    while (running.size() < workers) {
      const std::optional<std::uint64_t> next = best.next();
      if (!next) break;
      running.push_back(*next);
    }
    if (running.empty()) break;
    const std::size_t ends = random() % running.size();
    const std::uint64_t point = running[ends];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(ends));
    std::ranges::copy(best.settle(point, points[point].latency), std::back_inserter(settled));
  }
  CHECK(settled.size() == best.settled());
  std::ranges::sort(settled);
  return settled;
}

TEST_CASE("the best points are those of a run of all, and do not depend on how many run at once") {
  std::mt19937 random(57);
  for (int round = 0; round < 50; ++round) {
    std::vector<RandomPoint> points(40);
    for (RandomPoint& point : points) {
      point.least = 1.0 * (random() % 20);
      point.latency = point.least + 1.0 * (random() % 6);
      if (random() % 8 == 0) point.latency = std::numeric_limits<double>::infinity();  // it fails
    }
    const std::size_t best_of = 1 + random() % 5;
    std::vector<double> all;
    for (const RandomPoint& point : points) all.push_back(point.latency);
    std::ranges::sort(all);
    const double worst = all[best_of - 1];
    const std::vector<std::uint64_t> alone = settled_points(points, best_of, 1, random);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const bool is_settled = std::ranges::binary_search(alone, p);
      if (points[p].latency <= worst) CHECK(is_settled);
      // No point runs in vain that the best, once they are known, rule out, but for those before them.
      if (is_settled) CHECK(points[p].least <= worst);
    }
    CHECK(settled_points(points, best_of, 3, random) == alone);
    CHECK(settled_points(points, best_of, 7, random) == alone);
  }
}

constexpr std::string_view kLayouts =
    "    tp: {key: parallel.tp, values: [1, 2, 4, 8]}\n"
    "    again: {key: step.recompute, values: [[], [all]]}\n";

TEST_CASE("a sweep for its best layout finds that of a sweep of all, and leaves out what a bound rules out") {
  const SweepFolder folder;
  const std::string set = "parallel.dies: 16, parallel.dp: auto, step.global_batch: 32";
  const auto run = [&](const std::string& more, const char* database) {
    const SweepPlan plan = planned(
        folder, sweep_text(std::string(kLayouts), "  refused: leave_out\n" + more, "step_qwen3_8b", set));
    return run_sweep(plan, into(folder / database));
  };
  const SweepOutcome all = run("", "all.db"), best = run("  best: 1\n", "best.db");
  CHECK(all.left_out == 0);
  CHECK(best.done + best.left_out == all.done);
  CHECK(best.left_out > 0);
  const auto least = [&](const char* database) {
    const std::vector<SweepResults> results = read_results(folder / database);
    double time = std::numeric_limits<double>::infinity();
    for (const double one : results.front().metric("total", "latency").values)
      if (one < time) time = one;  // NaN: not computed
    return time;
  };
  CHECK(least("best.db") == least("all.db"));
  CHECK(run("  best: 1\n", "best.db").done == 0);
}

TEST_CASE("no training step beats the time that its bound says, and all come within a quarter of it") {
  constexpr const char* kFile = "step_deepseek_v3.yaml";
  double nearest = 0;
  for (const char* layout :
       {"parallel.vpp=1 step.schedule=1f1b step.overlap=none", "parallel.vpp=2 step.schedule=dualpipev",
        "parallel.vpp=1 step.schedule=zb_h1 step.overlap=within_one step.recompute=[]",
        "parallel.vpp=2 step.schedule=interleaved step.overlap=two_micro_batches",
        "parallel.vpp=1 step.schedule=1f1b step.overlap=within_one step.recompute=[norm,moe]",
        "parallel.vpp=1 step.schedule=dualpipe", "parallel.vpp=2 step.schedule=zb_v step.overlap=none"}) {
    std::vector<std::string> set{"step.global_batch=512", "step.over_capacity=true"};
    for (std::string_view rest = layout; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      set.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const Experiment experiment = load_experiment(configs_folder() / "experiments" / kFile, set);
    const double least = seconds(least_step_time(experiment)),
                 time = seconds(run_step(experiment, prepare_step(experiment)).result.makespan);
    CAPTURE(layout, least, time);
    CHECK(least <= time);
    nearest = std::max(nearest, least / time);
    CHECK(least > 0.75 * time);
  }
  CHECK(nearest > 0.85);
}

}  // namespace
}  // namespace a3sim
