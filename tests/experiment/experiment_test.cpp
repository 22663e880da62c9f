#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/network/network.h"
#include "sim/runtime/run.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

std::string refusal(std::vector<std::string> set) {
  try {
    small(std::move(set));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every shipped experiment loads") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "experiments")) {
    INFO(entry.path());
    CHECK_NOTHROW(load_experiment(entry.path(), {}));
    ++count;
  }
  CHECK(count >= 4);
}

TEST_CASE("every shipped graph is of a shipped experiment, with which it loads") {
  std::string experiments;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "experiments"))
    experiments += read_file(entry.path());
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "graphs")) {
    INFO(entry.path());
    CHECK(experiments.find("../graphs/" + entry.path().filename().string()) != std::string::npos);
  }
}

TEST_CASE("all that is wrong with an experiment is said at once, with its key") {
  const std::string message = refusal(
      {"model.top_k=99", "hardware.clock=1850", "experiment.pas=forward", "network.backend=teleport"});
  CHECK_THAT(message, Contains("model.top_k"));
  CHECK_THAT(message, Contains("hardware.clock"));
  CHECK_THAT(message, Contains("experiment.pas") && Contains("pass"));
  CHECK_THAT(message, Contains("teleport") && Contains("native"));
}

TEST_CASE("regions are of one product, of both edges, and as many as shares") {
  const auto gemm = [](std::vector<std::string> set) -> std::string {
    set.emplace_back("tiling.order=column_major");
    try {
      const Experiment experiment = load_experiment(configs_folder() / "experiments" / "gemm.yaml", set);
      return std::to_string(experiment.cut.shares);
    } catch (const InputError& error) {
      return error.what();
    }
  };
  CHECK(gemm({"tiling.grid_m=2", "tiling.grid_n=5"}) == "10");
  CHECK(gemm({"tiling.grid_m=2", "tiling.grid_n=5", "cut.shares=10"}) == "10");
  CHECK_THAT(gemm({"tiling.grid_m=2", "tiling.grid_n=5", "cut.shares=12"}),
             Contains("cut.shares: expected 10"));
  CHECK_THAT(gemm({"tiling.grid_m=2"}), Contains("grid_m and grid_n, or neither"));
  CHECK_THAT(refusal({"tiling.grid_m=2", "tiling.grid_n=5", "tiling.order=column_major"}),
             Contains("tiling.grid_m") && Contains("experts have one each"));
}

TEST_CASE("what a rank sends is what leaves it in Dispatch and in Combine") {
  for (const PassResult& pass : run_experiment(small(), false)) {
    constexpr std::uint64_t kRows = kTokens * kTopK, kAway = kEp - 1;
    std::uint64_t received = 0;
    for (const RankResult& rank : pass.run.ranks) {
      CHECK(rank.sent == 2 * kRows * kAway / kEp * kHidden * kElement);
      received += rank.received;
    }
    CHECK(received == kEp * 2 * kRows * kAway / kEp * kHidden * kElement);
  }
}

TEST_CASE("no run beats its lower bounds, whatever the routing, the cut and the window") {
  for (const std::string routing : {"balanced", "sampled"}) {
    for (const std::string seed : {"1", "2", "3", "4"}) {
      for (const std::string cut : {"{partitions: 1, chunk: 16}", "{partitions: 3, chunk: 5, shares: 7}"}) {
        const Experiment experiment = small({"routing.kind=" + routing, "routing.seed=" + seed,
                                             "routing.skew=1.5", "cut=" + cut, "experiment.window=full"});
        for (const PassResult& pass : run_experiment(experiment, false)) {
          for (std::uint32_t b = 0; b < kBounds; ++b) {
            INFO(routing << " " << seed << " " << cut << " " << pass.name << " "
                         << name_of(static_cast<Bound>(b)));
            CHECK(pass.run.makespan >= pass.bounds.time[b]);
          }
        }
      }
    }
  }
}

TEST_CASE("weights of experts without rows are in no bound, in a bucket and in one product of many experts") {
  // One expert of 64 has rows; all weights take 1,000 times as long from HBM as those of one.
  const auto check = [](const Experiment& experiment) {
    for (const PassResult& pass : run_experiment(experiment, false)) {
      const Duration hbm = pass.bounds.time[static_cast<std::size_t>(Bound::kHbm)];
      INFO(experiment.name << " " << pass.name);
      CHECK(pass.run.makespan >= hbm);
      CHECK(hbm > Duration::zero());
    }
  };
  check(small({"routing.kind=sampled", "routing.skew=30", "model.top_k=1", "model.tokens=4", "bucket.rows=8",
               "model.experts_per_rank=32", "model.hidden=1024", "model.intermediate=1024"}));
  check(load_experiment(std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/gemm.yaml",
                        std::vector<std::string>{"graph.experts=65534", "graph.sizes.m=64",
                                                 "graph.sizes.n=64", "graph.sizes.k=64", "l2.start=cold"}));
}

TEST_CASE("equal experiments give equal results, to the picosecond and the event") {
  const Experiment experiment = small({"routing.kind=sampled", "routing.seed=5", "routing.skew=1"});
  const std::vector<PassResult> first = run_experiment(experiment, true),
                                second = run_experiment(experiment, true);
  for (std::size_t p = 0; p < first.size(); ++p) {
    CHECK(first[p].run.makespan == second[p].run.makespan);
    CHECK(first[p].run.events == second[p].run.events);
    for (std::size_t r = 0; r < kEp; ++r) {
      const auto &a = first[p].run.ranks[r].records, &b = second[p].run.ranks[r].records;
      REQUIRE(a.size() == b.size());
      for (std::size_t t = 0; t < a.size(); ++t) CHECK((a[t].start == b[t].start && a[t].end == b[t].end));
    }
  }
}

TEST_CASE("records change nothing") {
  const Experiment experiment = small({"routing.kind=sampled", "routing.seed=5"});
  const std::vector<PassResult> with = run_experiment(experiment, true),
                                without = run_experiment(experiment, false);
  for (std::size_t p = 0; p < with.size(); ++p) CHECK(with[p].run.makespan == without[p].run.makespan);
}

TEST_CASE("a task's time is its ideal time and its losses, to the picosecond") {
  for (const PassResult& pass : run_experiment(small({"routing.kind=sampled", "routing.skew=2"}), true)) {
    for (const RankResult& rank : pass.run.ranks) {
      for (const TaskRecord& record : rank.records) {
        Duration sum = record.ideal;
        for (const Duration lost : record.lost) sum += lost;
        CHECK(record.end - record.start == sum);
      }
    }
  }
}

TEST_CASE("rates so low that times would overflow end in an error, not in a number") {
  CHECK_THROWS_AS(run_experiment(small({"hardware.clock=1 Hz"}), false), RunError);
  CHECK_THROWS_AS(run_experiment(small({"hardware.fabric.planes.hccs.egress=1 B/s",
                                        "hardware.fabric.planes.hccs.ingress=1 B/s"}),
                                 false),
                  RunError);
  CHECK_THROWS_AS(
      run_experiment(small({"hardware.memory.hbm_write=1 B/s", "hardware.memory.hbm_read=1 B/s"}), false),
      RunError);
}

TEST_CASE("ports that are faster than the memories carry what the memories give") {
  const std::vector<PassResult> passes = run_experiment(
      small({"hardware.fabric.planes.hccs.egress=20 TB/s", "hardware.fabric.planes.hccs.ingress=20 TB/s",
             "hardware.fabric.put_per_worker=1 TB/s"}),
      false);
  for (const PassResult& pass : passes) {
    for (const Duration bound : pass.bounds.time) CHECK(pass.run.makespan >= bound);
  }
}

TEST_CASE("a graph written out in YAML runs as the built-in one does") {
  const auto folder = configs_folder() / "experiments";
  const std::vector<std::string> forward{"experiment.pass=forward", "experiment.window=full"};
  const PassResult written = run_experiment(load_experiment(folder / "forward_graph.yaml", {}), false)[0];
  const PassResult built_in = run_experiment(load_experiment(folder / "ep4.yaml", forward), false)[0];
  CHECK(written.run.makespan == built_in.run.makespan);
  CHECK(written.run.events == built_in.run.events);
}

TEST_CASE("the full window adds the permutation and the accumulation") {
  const std::vector<PassResult> transport = run_experiment(small(), false),
                                full = run_experiment(small({"experiment.window=full"}), false);
  for (std::size_t p = 0; p < full.size(); ++p) CHECK(full[p].run.makespan > transport[p].run.makespan);
}

TEST_CASE("a machine twice as slow in everything takes twice as long") {
  const std::vector<std::string> slow{"hardware.clock=925 MHz",
                                      "hardware.memory.l2_read=2 TB/s",
                                      "hardware.memory.l2_write=1 TB/s",
                                      "hardware.memory.hbm_read=700 GB/s",
                                      "hardware.memory.hbm_write=800 GB/s",
                                      "hardware.memory.l2_line_read=1 TB/s",
                                      "program.launch.alone=20 us",
                                      "program.launch.queued=10 us",
                                      "program.tasks.cube_task_start=4 us",
                                      "program.collective.fixed=200 us",
                                      "program.collective.per_peer=1 us",
                                      "program.collective.rate=40 GB/s",
                                      "hardware.fabric.planes.hccs.egress=50 GB/s",
                                      "hardware.fabric.planes.hccs.ingress=50 GB/s",
                                      "hardware.fabric.levels.node.latency=2 us",
                                      "hardware.fabric.put_per_worker=4 GB/s",
                                      "hardware.fabric.put_startup=600 ns",
                                      "hardware.fabric.put_fence=400 ns",
                                      "program.tasks.static_task=200 ns",
                                      "program.signals.local_visibility=400 ns"};
  const std::vector<std::string> fast{"hardware.clock=1850 MHz",
                                      "hardware.memory.l2_read=4 TB/s",
                                      "hardware.memory.l2_write=2 TB/s",
                                      "hardware.memory.hbm_read=1400 GB/s",
                                      "hardware.memory.hbm_write=1600 GB/s",
                                      "hardware.memory.l2_line_read=2 TB/s",
                                      "program.launch.alone=10 us",
                                      "program.launch.queued=5 us",
                                      "program.tasks.cube_task_start=2 us",
                                      "program.collective.fixed=100 us",
                                      "program.collective.per_peer=500 ns",
                                      "program.collective.rate=80 GB/s",
                                      "hardware.fabric.planes.hccs.egress=100 GB/s",
                                      "hardware.fabric.planes.hccs.ingress=100 GB/s",
                                      "hardware.fabric.levels.node.latency=1 us",
                                      "hardware.fabric.put_per_worker=8 GB/s",
                                      "hardware.fabric.put_startup=300 ns",
                                      "hardware.fabric.put_fence=200 ns",
                                      "program.tasks.static_task=100 ns",
                                      "program.signals.local_visibility=200 ns"};
  const std::vector<PassResult> a = run_experiment(small(slow), false),
                                b = run_experiment(small(fast), false);
  for (std::size_t p = 0; p < a.size(); ++p) {
    CHECK(milliseconds(a[p].run.makespan) == Approx(2 * milliseconds(b[p].run.makespan)).epsilon(1e-6));
  }
}
