#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/memory/l2/policy.h"

using namespace a3sim;
using Catch::Matchers::Contains;

// What a configuration's `l2` block does to whole runs.
namespace {

constexpr std::uint64_t kTableRows = 4096, kTableWidth = 2048, kElementBytes = 2;
constexpr std::uint64_t kOut = kTableRows * kTableWidth * kElementBytes,
                        kIn = 2 * kOut;  // of SwiGLU; Add reads two of kOut

PassResult swiglu_add(std::vector<std::string> set) {
  set.push_back(fmt::format("graph.sizes.rows={}", kTableRows));
  const auto file = configs_folder() / "experiments" / "swiglu_add.yaml";
  return run_experiment(load_experiment(file, set), false).front();
}

const L2Traffic& of(const PassResult& pass, const std::string& op) {
  const auto& operators = pass.schedule.front().operators();
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (operators[i].name == op) return pass.run.ranks.front().l2_by_op[i];
  }
  throw std::out_of_range(op);
}

RunResult gemm(std::vector<std::string> set) {
  return run_experiment(load_experiment(configs_folder() / "experiments" / "gemm.yaml", set), false)
      .front()
      .run;
}

}  // namespace

TEST_CASE("l2 runs: Add finds what SwiGLU has just written, and fetches the rest") {
  for (const char* mode : {"pieces", "lines"}) {
    const PassResult pass = swiglu_add({"l2.start=cold", fmt::format("l2.mode={}", mode)});
    CHECK(of(pass, "SwiGLU").read.hit == 0);
    CHECK(of(pass, "SwiGLU").hbm_read == kIn);
    CHECK(of(pass, "Add").read.hit == kOut / kL2Request);
    CHECK(of(pass, "Add").hbm_read == kOut);
    CHECK(pass.run.ranks.front().l2.hbm_write == 0);  // all fits, nothing has to go
  }
}

TEST_CASE("l2 runs: what SwiGLU writes past the L2 is not there for Add") {
  const PassResult pass = swiglu_add({"l2.start=cold", "l2.hints.SwiGLU.write=bypass"});
  CHECK(of(pass, "SwiGLU").hbm_write == kOut);
  CHECK(of(pass, "Add").read.hit == 0);
  CHECK(of(pass, "Add").hbm_read == 2 * kOut);
}

TEST_CASE("l2 runs: reads past the L2 count as neither hits nor misses") {
  const PassResult pass = swiglu_add({"l2.start=cold", "l2.hints.SwiGLU.read=bypass"});
  const L2Traffic::Requests& reads = of(pass, "SwiGLU").read;
  CHECK((reads.hit + reads.miss == 0 && reads.bypass == kIn / kL2Request));
  CHECK(of(pass, "Add").read.hit == kOut / kL2Request);
}

TEST_CASE("l2 runs: what is written takes the HBM's time at its own rate, beside what is read") {
  const auto time = [](const char* rate) {
    return seconds(swiglu_add({"l2.start=cold", "l2.hints.SwiGLU.write=bypass", "l2.hints.Add.write=bypass",
                               fmt::format("hardware.memory.hbm_write={}", rate)})
                       .run.makespan);
  };
  CHECK(time("250 GB/s") - time("500 GB/s") == Approx(2 * kOut * (1 / 250e9 - 1 / 500e9)).epsilon(0.05));
}

TEST_CASE("l2 runs: hints of an operator that the experiment has not are refused") {
  try {
    swiglu_add({"l2.hints.SwiGLUE.read=bypass"});
    FAIL("there is no SwiGLUE");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Contains("SwiGLUE") && Contains("did you mean 'SwiGLU'?"));
  }
}

TEST_CASE("l2 runs: a used L2 has to write back what others left before it takes what is new") {
  const RankResult cold = swiglu_add({"l2.start=cold"}).run.ranks.front(),
                   used = swiglu_add({"l2.start=used"}).run.ranks.front();
  CHECK(used.l2.read == cold.l2.read);
  // In and out, 5 tensors of kOut pass through; of those who passed before, two in five bytes were written.
  CHECK(static_cast<double>(used.l2.hbm_write) == Approx(2.0 * kOut).epsilon(0.05));
  CHECK(used.end > cold.end);
}

TEST_CASE("l2 runs: a product that fits finds all of it when it is repeated") {
  CHECK(gemm({"graph.sizes.m=1024", "graph.sizes.n=1024", "graph.sizes.k=1024"}).ranks.front().l2.read.miss ==
        0);
  CHECK(gemm({"graph.sizes.m=1024", "graph.sizes.n=1024", "graph.sizes.k=1024", "l2.start=cold"})
            .ranks.front()
            .l2.read.miss == 2 * 1024 * 1024 * kElementBytes / kL2Request);
}

TEST_CASE("l2 runs: a smaller L2 hits less, whatever the policy, and each policy says the same twice") {
  for (const auto& [name, policy] : Registry<L2Policy>::all()) {
    const auto hits = [&, name = name](const char* size) {
      const PassResult pass = swiglu_add({"l2.start=cold", "experiment.execution=kernel", "l2.policy=" + name,
                                          fmt::format("hardware.memory.l2_size={}", size)});
      return pass.run.ranks.front().l2;
    };
    INFO(name);
    CHECK(hits("24 MiB").read.hit < hits("192 MiB").read.hit);
    CHECK(hits("24 MiB") == hits("24 MiB"));
  }
}

TEST_CASE("l2 runs: rows that do not begin at a line take longer") {
  const RunResult aligned = gemm({"graph.sizes.n=2048", "graph.sizes.k=2048"}),
                  ragged = gemm({"graph.sizes.n=2047", "graph.sizes.k=2048"});
  CHECK(aligned.makespan < ragged.makespan);
}

TEST_CASE("l2 runs: an unknown policy is refused with those that are known") {
  try {
    swiglu_add({"l2.policy=belady"});
    FAIL("nobody can look ahead");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(),
               Contains("l2.policy") && Contains("belady") && Contains("lru") && Contains("fifo"));
  }
}

TEST_CASE("single products of every type run, tiled so that they fit") {
  const auto time = [](const char* dtype) {
    return microseconds(
        gemm({"graph.sizes.n=2048", "graph.sizes.k=2048", fmt::format("graph.dtype={}", dtype)}).makespan);
  };
  const double bf16 = time("bf16"), fp32 = time("fp32"), int8 = time("int8");
  CHECK(fp32 > 2 * bf16);  // a quarter of the products a cycle
  CHECK(int8 < bf16);
}

TEST_CASE("who looks on at a run may see the ones before it that warm the L2, and end them") {
  class Counter final : public TaskHooks {
   public:
    void started(RankId, std::uint32_t) override { ++tasks; }
    TaskHooks* before() override { return warming; }
    std::size_t tasks = 0;
    TaskHooks* warming = nullptr;
  };
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "gemm.yaml", {});
  const Compiled compiled = compile_all(experiment);
  Counter counted, before;
  RunOptions options = options_of(experiment, false);
  REQUIRE(options.l2.start == L2Start::kWarm);
  options.hooks = &counted;
  run_pass(experiment, compiled, 0, options);
  counted.warming = &before;
  run_pass(experiment, compiled, 0, options);
  CHECK(before.tasks > 0);
  CHECK(counted.tasks == 2 * before.tasks);

  // Embedded, it may be interrupted at the start and at every task of both runs.
  static std::size_t checks = 0;
  set_interruption_check([] { ++checks; });
  options.hooks = nullptr;
  run_pass(experiment, compiled, 0, options);
  set_interruption_check(nullptr);
  CHECK(checks == 1 + 2 * before.tasks);
}

TEST_CASE("what no die can hold, or no schedule can run, is refused at its key") {
  const auto refusal = [](std::vector<std::string> set) -> std::string {
    try {
      gemm(std::move(set));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK_THAT(refusal({"graph.sizes.k=1000000000"}), Contains("graph.sizes.k") && Contains("GiB"));
  CHECK_THAT(refusal({"graph.experts=4", "experiment.execution=static"}), Contains("graph.experts"));
  CHECK_THAT(refusal({"tiling.base_k=512"}), Contains("tiling.base_k") && Contains("L0"));
}
