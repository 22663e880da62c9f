#include <catch2/catch.hpp>

#include "sim/variation/variation.h"
#include "tests/inference/decode_step.h"
#include "traces/analysis/critical_path.h"

namespace a3sim {
namespace {

// Returns by how much shorter a kernel gets on the better machine, as a part of its time.
double shorter(const RanStep& base, const RanStep& better, const std::string& kernel) {
  return 1 - seconds(better.each(kernel)) / seconds(base.each(kernel));
}

// A step whose requests have two tokens each, so that attention multiplies longer than it reads.
Experiment with_drafts(const std::vector<std::string>& more = {}) {
  std::vector<std::string> set{"inference.shared_beside=false"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "decode_deepseek_v3.yaml", set);
}

TEST_CASE("What binds a kernel of decode is what it gets shorter by, if it is twice as fast") {
  const RanStep base = ran(with_drafts());
  const RanStep products = ran(with_drafts({"hardware.workers.cube.macs_16=8192 MAC/cycle",
                                            "hardware.workers.cube.macs_8=16384 MAC/cycle",
                                            "hardware.workers.cube.macs_32=2048 MAC/cycle"}));
  const RanStep loads = ran(with_drafts(
      {"hardware.workers.cube.gm_to_l1_miss=83.04 B/cycle", "hardware.workers.cube.gm_to_l1=220 B/cycle",
       "hardware.memory.hbm_read=3.2 TB/s", "hardware.memory.l2_read=12 TB/s"}));
  std::size_t by_products = 0, by_loads = 0;
  for (const KernelAccount& kernel : base.figures.kernels) {
    INFO(kernel.name << ", bound by " << kernel.bound);
    const bool by_weights = kernel.bound == "weights" || kernel.bound == "cache";
    if (by_weights) {
      CHECK(shorter(base, loads, kernel.name) > shorter(base, products, kernel.name));
      ++by_loads;
    } else if (kernel.bound == "products") {
      CHECK(shorter(base, products, kernel.name) > shorter(base, loads, kernel.name));
      ++by_products;
    }
  }
  CHECK(by_products > 0);
  CHECK(by_loads > 4);
}

TEST_CASE(
    "The time of a die's kernels is blamed on loads of weights before the cubes, and on each part once") {
  const Experiment experiment = decode_of();
  const auto work = experiment.work->prepare(experiment, 1);
  const std::vector<RunOutcome> outcomes = work->run_all(experiment, Record::kTrace, 1);
  const Trace& trace = *outcomes.front().trace;
  BlameTimes times{};
  Duration all{};
  for (const TraceTask& task : trace.ranks.front()) {
    add_run(trace, task, task.end, times);
    all += task.end - task.start;
    CHECK(task.hold + task.arithmetic <= task.ideal);
  }
  const auto of = [&](Blame blame) { return times[static_cast<std::size_t>(blame)]; };
  Duration sum{};
  for (const Duration time : times) sum += time;
  CHECK(sum == all);
  CHECK(of(Blame::kMiss) + of(Blame::kHbm) > of(Blame::kCube));
  CHECK(of(Blame::kLaunch) > Duration::zero());
}

TEST_CASE("Where the host sets the pace, the path is blamed on it, and its calls are the part that gains") {
  const Experiment eager = decode_of({"inference.launched=eager"});
  const auto run = [](const Experiment& experiment) {
    return experiment.work->prepare(experiment, 1)->run_all(experiment, Record::kTrace, 1);
  };
  const std::vector<RunOutcome> outcomes = run(eager);
  const Trace& trace = *outcomes.front().trace;
  Duration host{};
  for (const BlameTimes& times : critical_path(Causes(trace)).blame)
    host += times[static_cast<std::size_t>(Blame::kHost)];
  CHECK(seconds(host) > 0.95 * seconds(trace.makespan));
  const MachinePart& calls = machine_part("calls of the framework on the host");
  CHECK(calls.is_described(eager));
  CHECK(calls.blamed == std::vector<std::string>{"host"});
  const std::vector<RunOutcome> faster = run(better_part(eager, calls, {1.1}, "10 % better").of(eager));
  CHECK(seconds(faster.front().trace->makespan) == Approx(seconds(trace.makespan) / 1.1).epsilon(0.01));
}

}  // namespace
}  // namespace a3sim
