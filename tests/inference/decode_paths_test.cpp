#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/inference/decode_step.h"

// What brings rows to experts, and where attention runs.
namespace a3sim {
namespace {

using Catch::Contains;

std::string why_not(std::vector<std::string> set) {
  set.emplace_back("inference.experts_by=mega_moe");
  try {
    static_cast<void>(decode_of(set));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE(
    "A step whose experts are one kernel takes what MegaMoE takes by itself at this shape, and a head") {
  const Experiment alone = load_experiment(
      configs_folder() / "experiments" / "mega_moe.yaml",
      std::vector<std::string>{"model.tokens=24", "model.experts_per_rank=32", "parallel.ep=8",
                               "mega_moe.activation_segments=[32]", "network.backend=native"});
  const Duration kernel = run_experiment(alone, false, backend_in_threads(alone)).front().run.makespan;
  const RanStep step = ran(decode_of({"inference.experts_by=mega_moe", "parallel.ep=8"}));
  constexpr Duration kHead = 3'100'000_ps;
  CHECK(step.each("MegaMoe") == kHead + kernel);
  CHECK(step.kernel("MegaMoe").runs == 58);
  CHECK(std::ranges::count(step.figures.kernels, "GroupedGateUp", &KernelAccount::name) == 0);
  // It reads the weights that separate kernels read.
  const RanStep separate = ran(decode_of({"parallel.ep=8"}));
  CHECK(step.kernel("MegaMoe").weights ==
        Approx(separate.kernel("GroupedGateUp").weights + separate.kernel("GroupedDown").weights));
}

TEST_CASE("What MegaMoE's kernel is not written for is refused") {
  CHECK_THAT(why_not({"inference.experts=w4a8"}), Contains("8 bits") && Contains("w4a8"));
  CHECK_THAT(why_not({"inference.core_share=0.5"}), Contains("all cores"));
  CHECK_THAT(why_not({"inference.attention_part=0.5"}), Contains("same dies"));
  CHECK_THAT(why_not({"mega_moe.activation_segments=[3, 1]"}), Contains("sum up to"));
}

TEST_CASE("A part of the dies for attention has the requests of all of them") {
  const RanStep part = ran(decode_of({"inference.attention_part=0.5"})),
                stated =
                    ran(decode_of({"parallel.ep=16", "inference.attention_dies=16", "inference.batch=48"}));
  CHECK(part.figures.time == stated.figures.time);
  CHECK(part.figures.tokens_a_die == stated.figures.tokens_a_die);
  CHECK(part.prepared.plan.options.batch == 48);
  CHECK_THROWS_WITH(decode_of({"inference.attention_part=1"}), Contains("some and not all"));
}

// Step 5 of the shipped record: 64 experts on eight dies of which the busiest gets 1.34976 times the mean.
const std::vector<std::string> kRecorded{
    "model.experts=64", "parallel.ep=8",
    "routing={kind: recorded, file: " + (configs_folder() / "traffic" / "expert_counts.csv").string() +
        ", step: 5}"};

TEST_CASE("A step of decode on recorded routing waits for the rank that the record makes the busiest") {
  const RanStep recorded = ran(decode_of(kRecorded));
  // Each rank's 192 rows are dealt from the record's shares.
  CHECK(recorded.prepared.over_mean == Approx(1.34976).epsilon(0.03));
  const RanStep balanced = ran(decode_of({"model.experts=64", "parallel.ep=8"}));
  CHECK(recorded.prepared.over_mean > 1.2);
  CHECK(recorded.figures.time > balanced.figures.time);
}

TEST_CASE("Experts that are held twice take rows from the busiest ones") {
  std::vector<std::string> twice = kRecorded;
  twice.emplace_back("inference.redundant=16");
  const RanStep once = ran(decode_of(kRecorded)), copied = ran(decode_of(twice));
  CHECK(copied.prepared.over_mean < 1 + (once.prepared.over_mean - 1) / 3);
  CHECK(copied.prepared.over_mean >= 1);
  CHECK(copied.prepared.memory.experts == Approx(once.prepared.memory.experts * 80 / 64));
}

}  // namespace
}  // namespace a3sim
