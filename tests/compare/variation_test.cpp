#include "sim/variation/variation.h"

#include <catch2/catch.hpp>

#include "sim/experiment/run/run_outcome.h"
#include "sim/variation/cable_level.h"
#include "tests/experiment/small_experiment.h"

namespace a3sim {
namespace {

constexpr double kTwice = 2;

Duration latency_of(const Experiment& experiment) {
  const auto work = experiment.work->prepare(experiment, 1);
  return total_of(work->run_all(experiment, Record::kLatency, 1));
}

// A layer on a tree whose cables hold rows up, with enough tasks for orders to matter.
Experiment on_tree(const std::vector<std::string>& more = {}) {
  std::vector<std::string> set{
      "parallel.ep=4",
      "model.tokens=512",
      "model.hidden=1024",
      "model.intermediate=512",
      "model.top_k=4",
      "model.experts_per_rank=2",
      "experiment.pass=forward",
      "parallel.tp_stride=2",
      "network.topology={hccs: {kind: two_level, leaves: 8, leaf: 2, spines: 1, rate: 60 GB/s}}"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "ep4.yaml", set);
}

Experiment better(const Experiment& experiment, const char* part) {
  return improved(experiment, machine_part(part), {kTwice});
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Two improvements in a row were once the last one alone.
TEST_CASE("Improving one part and then another is improving both, to the picosecond") {
  const Experiment experiment = small();
  const std::vector<const char*> parts{"start of matrix tasks", "kernel launch", "loads to L1, misses",
                                       "link latency, start and fence of a put", "visibility of counters"};
  for (const char* const a : parts) {
    for (const char* const b : parts) {
      if (std::string_view(a) == b) continue;
      INFO(a << ", then " << b);
      const auto of = [&](const char* part) { return changes_of(machine_part(part), experiment, {kTwice}); };
      const Duration both = latency_of(experiment.with_machine(joined(of(a), of(b))));
      CHECK(latency_of(better(better(experiment, a), b)) == both);
      CHECK(both < latency_of(better(experiment, b)));
    }
  }
}

TEST_CASE("The same improvement twice is its square") {
  const Experiment experiment = small();
  const char* const misses = "loads to L1, misses";
  const Duration square = latency_of(improved(experiment, machine_part(misses), {kTwice * kTwice}));
  CHECK(latency_of(better(better(experiment, misses), misses)) == square);
  CHECK(square < latency_of(better(experiment, misses)));
}

TEST_CASE("More workers keep what was improved before, and the other way round") {
  const Experiment experiment =
      small({"model.tokens=512", "model.hidden=1024", "model.intermediate=512", "experiment.pass=forward"});
  const MachinePart& workers = machine_part("AIC");
  const char* const start = "start of matrix tasks";
  const Improvement twice{kTwice};
  const auto changes =
      joined(changes_of(workers, experiment, twice), changes_of(machine_part(start), experiment, {kTwice}));
  const Duration both = latency_of(experiment.with(changes));
  CHECK(latency_of(improved(better(experiment, start), workers, twice)) == both);
  CHECK(latency_of(better(improved(experiment, workers, twice), start)) == both);
  CHECK(both != latency_of(better(experiment, start)));
  CHECK(both != latency_of(improved(experiment, workers, twice)));
}

TEST_CASE("A given order and faster cables stay under every later change") {
  const Experiment experiment = on_tree();
  OrderSpec shared = experiment.order;
  shared.name = "shared";
  shared.assignment = Assignment::kShared;
  const Experiment ordered = with_order(experiment, shared);
  REQUIRE(latency_of(ordered) != latency_of(experiment));
  const std::vector<std::string> clock{"hardware.clock=2 GHz"};
  const Experiment stated = with_order(on_tree(clock), shared);
  CHECK(latency_of(ordered.with(clock)) == latency_of(stated));
  CHECK(latency_of(ordered.with_machine(clock)) == latency_of(stated));
  CHECK(ordered.with(clock).order.name == "shared");
  CHECK(ordered.with(clock).order.elsewhere == stated.order.elsewhere);

  const auto with_cables = [](Experiment on) {
    for (const CableLevel& level : cable_levels(on)) on = cables_at(level, kTwice).of(on);
    return on;
  };
  const Experiment faster = with_cables(experiment);
  REQUIRE(latency_of(faster) < latency_of(experiment));
  const Duration both = latency_of(with_cables(on_tree(clock)));
  CHECK(latency_of(faster.with(clock)) == both);
  CHECK(latency_of(faster.with_machine(clock)) == both);
  CHECK(latency_of(better(better(experiment, "cables between switches"), "HBM")) ==
        latency_of(better(better(experiment, "HBM"), "cables between switches")));
}

TEST_CASE("Products at the rate of long sequences stay so on an improved machine") {
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "gemm.yaml",
                                                std::vector<std::string>{"experiment.sustained=true"});
  REQUIRE(experiment.hardware.cube.speed == experiment.hardware.cube.sustained);
  const Experiment after = better(experiment, "HBM");
  CHECK(after.hardware.cube.speed == experiment.hardware.cube.speed);
  CHECK(after.hardware.memory.hbm_read.count == 2 * experiment.hardware.memory.hbm_read.count);
}

TEST_CASE("A changed machine says its values") {
  const Experiment after = better(small(), "HBM");
  const Experiment stated = small(changes_of(machine_part("HBM"), small(), {kTwice}));
  CHECK(after.values == stated.values);
}

}  // namespace
}  // namespace a3sim
