#include <catch2/catch.hpp>
#include <string>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/scratch_directory.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// A machine as a reader writes it: other sizes, one pipe less, a third kind of worker.
constexpr std::string_view kMine = R"(
include: hardware/ascend950pr_9589
hardware:
  name: mine
  workers:
    cube: {count: 20, l0c_to_gm: none}
    vector: {count: 40}
    mover: {count: 8, runs: [moves]}
  memory: {hbm_size: 96 GiB, hbm_read: 1.2 TB/s}
)";

Experiment on_mine(const std::string& machine, const std::vector<std::string>& more = {}) {
  const ScratchDirectory folder;
  folder.add("mine.yaml", machine);
  return load_experiment(folder.add("layer.yaml", "include: [mega_moe_950, mine.yaml]\n"), more);
}

Duration latency(const Experiment& experiment) {
  return run_experiment(experiment, false).front().run.makespan;
}

}  // namespace

TEST_CASE("a machine that a reader writes runs: other sizes, one pipe less, a third kind of worker") {
  const Experiment experiment = on_mine(std::string(kMine));
  const WorkerKinds& kinds = experiment.workers;
  REQUIRE(kinds.size() == 3);
  CHECK(kinds.text() == "20 AIC, 40 AIV and 8 MOVER");
  CHECK(experiment.hardware.cube.l0c_to_gm == 100);  // through the UB: the slower of 128 and 100
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  const Ssc& ssc = passes.front().schedule.front();
  std::uint32_t moved = 0;
  for (const TaskDescriptor& td : ssc.tasks()) {
    const std::string& op = ssc.operators()[td.op].name;
    const bool moves = op == "Dispatch" || op == "Combine";
    CHECK((td.queue_type == 2) == moves);
    moved += moves;
  }
  CHECK(moved > 0);
  CHECK(ssc.queue(2).size() == moved);
  CHECK(passes.front().run.makespan > Duration::zero());
}

TEST_CASE("a kind with vector work of its own does it at its own rate") {
  const std::string slow = R"(
include: hardware/ascend950pr_9589
hardware:
  name: mine
  workers:
    simt: {count: 64, runs: [SwiGLUBlocks], simple_fp32: 1 element/cycle}
)";
  std::string fast = slow;
  fast.replace(fast.find("1 element"), 1, "64");
  CHECK(latency(on_mine(slow)) > latency(on_mine(fast)));
}

TEST_CASE("a machine without a way that products need is refused, with the pipe that is missing") {
  std::string none(kMine);
  none.replace(none.find("l0c_to_gm: none"), 15, "l0c_to_gm: none, l0c_to_ub: none, l0c_to_l1: none");
  CHECK_THROWS_WITH(on_mine(none), Contains("mine.yaml:6:") && Contains("hardware.workers.cube.l0c_to_gm") &&
                                       Contains("by another way from l0c to gm"));
}

TEST_CASE("a product in a type that the machine lacks is refused before it runs") {
  CHECK_THROWS_WITH(load_experiment(configs_folder() / "experiments" / "gemm.yaml",
                                    std::vector<std::string>{"graph.dtype=mxfp4"}),
                    Contains("a3_24_48 does not multiply mxfp4") && Contains("macs_fp4"));
}

TEST_CASE("what a kind runs is units or operators that are known") {
  const auto with = [](const std::string& runs) {
    std::string text(kMine);
    text.replace(text.find("[moves]"), 7, runs);
    return text;
  };
  CHECK_THROWS_WITH(on_mine(with("[SwiGLV]")), Contains("runs") && Contains("did you mean 'SwiGLU'"));
  CHECK_THROWS_WITH(on_mine(with("[vector]")), Contains("another kind of worker runs 'vector' too"));
  CHECK_THROWS_WITH(on_mine(with("[]")), Contains("runs"));
  CHECK_THROWS_WITH(on_mine(with("[moves]}\n    other: {count: 4, runs: [moves]")),
                    Contains("another kind of worker has 'moves' as its own too"));
}
