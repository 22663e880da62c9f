#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/run_outcome.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

Experiment kernel_on(const std::string& machine, std::vector<std::string> set) {
  return load_experiment(configs_folder() / "experiments" / (machine + "_kernels.yaml"), set);
}

RunOutcome run_of(const Experiment& experiment, Record record = Record::kTrace) {
  const auto work = experiment.work->prepare(experiment, 1);
  return work->run_all(experiment, record, 1).front();
}

TEST_CASE("a copy to a peer takes its engine's start and its bytes at the engine's rate") {
  const Experiment experiment = kernel_on("h100", {"kernel.kind=copy", "kernel.bytes=374000000"});
  const Hardware::CopyEngine& engine = *experiment.hardware.copy_engine;
  REQUIRE(engine.rate == BytesPerSecond{374'000'000'000});
  const RunOutcome outcome = run_of(experiment);
  CHECK(outcome.latency == engine.startup + 1000_us);
  CHECK(outcome.sums.ranks.size() == 2);
  CHECK(outcome.sums.ranks[0].sent == 374'000'000);
  CHECK(outcome.sums.ranks[1].received == 374'000'000);
}

TEST_CASE("in an all-to-all each rank keeps its own part") {
  const Experiment experiment =
      kernel_on("h100", {"kernel.kind=all_to_all", "kernel.ranks=4", "kernel.bytes=400"});
  CHECK(experiment.shape.ep == 4);
  for (const RankResult& rank : run_of(experiment).sums.ranks) {
    CHECK(rank.sent == 300);
    CHECK(rank.received == 300);
  }
}

TEST_CASE("launches come before a kernel, one behind the other") {
  const Experiment linears = kernel_on("a3", {"kernel.kind=two_linears", "program.launch.queued=7 us"});
  CHECK(run_of(linears).latency == 4 * 7_us);
  const std::vector<std::string> sizes{"kernel.kind=softmax", "kernel.rows=4096", "kernel.width=512"};
  std::vector<std::string> slow = sizes;
  slow.emplace_back("program.launch.queued=7 us");
  const Experiment usual = kernel_on("a2", sizes), later = kernel_on("a2", slow);
  CHECK(run_of(later).latency - run_of(usual).latency == 7_us - usual.program.launch.queued);
}

TEST_CASE("no kernel is faster than its bound, with or without a trace") {
  for (const char* const kind : {"rms_norm", "softmax", "moe_re_routing"}) {
    INFO(kind);
    const Experiment experiment = kernel_on("a2", {std::string("kernel.kind=") + kind});
    const RunOutcome outcome = run_of(experiment);
    CHECK(outcome.latency >= outcome.bounds.largest());
    CHECK(outcome.bounds.largest() > Duration::zero());
    CHECK(run_of(experiment, Record::kLatency).latency == outcome.latency);
  }
}

TEST_CASE("products count two operations for each product of elements") {
  const RunOutcome outcome =
      run_of(kernel_on("h100", {"kernel.kind=products", "kernel.experts=3", "kernel.m=64", "kernel.n=128",
                                "kernel.k=256", "kernel.one_call=false"}));
  std::uint64_t operations = 0;
  for (const TraceTask& task : outcome.trace->ranks.front()) operations += task.operations;
  CHECK(outcome.trace->ranks.front().size() == 3);
  CHECK(operations == 2ULL * 3 * 64 * 128 * 256);
}

TEST_CASE("a run of a kernel that must take too long stops") {
  const Experiment experiment = kernel_on("h100", {"kernel.kind=products", "kernel.experts=3", "kernel.m=64",
                                                   "kernel.n=128", "kernel.k=256", "kernel.one_call=false"});
  const auto work = experiment.work->prepare(experiment, 1);
  CHECK(work->run(experiment, 0, Draw{}, 1000_ps, Record::kLatency).stopped);
}

TEST_CASE("a kernel that lacks a size, or has another type, is refused with its key") {
  const auto refusal = [](std::vector<std::string> set) {
    try {
      kernel_on("a2", std::move(set));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({"kernel.rows=64", "kernel.width=4096"}).empty());
  CHECK_THAT(refusal({"kernel.kind=swi_glu"}), Contains("kernel.width_in"));
  CHECK_THAT(refusal({"kernel.rows=many"}), Contains("kernel.rows"));
  CHECK_THAT(refusal({"kernel.dtype=int8"}), Contains("kernel.dtype") && Contains("fp32"));
  CHECK_THAT(refusal({"kernel.kind=rms"}), Contains("rms_norm"));
  CHECK_THAT(refusal({"kernel.wide=4"}), Contains("kernel.wide"));
  CHECK_THAT(refusal({"kernel.kind=copy", "kernel.bytes=4"}), Contains("copy_engine"));
}

}  // namespace
}  // namespace a3sim
