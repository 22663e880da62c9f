#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

// What tells ranks and runs apart beside the schedule: places, starts, clocks, polls, who moves the rows.
namespace {

using Catch::Contains;

Duration total(const std::vector<PassResult>& passes) {
  Duration sum{};
  for (const PassResult& pass : passes) sum += pass.run.makespan;
  return sum;
}

Duration latency(const std::vector<std::string>& set) { return total(run_experiment(small(set), false)); }

std::string cluster_refusal(const std::vector<std::string>& set) {
  try {
    small(set);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("cluster: a group that starts late takes as much longer, and nothing else changes") {
  constexpr Duration kLate = 70_us;
  std::vector<std::string> set;
  for (std::uint32_t r = 0; r < kEp; ++r) set.push_back("ranks.start." + std::to_string(r) + "=70 us");
  const auto late = run_experiment(small(set), true), normal = run_experiment(small(), true);
  for (std::size_t p = 0; p < normal.size(); ++p) {
    CHECK(late[p].run.makespan == normal[p].run.makespan + kLate);
    for (std::size_t t = 0; t < normal[p].run.ranks[1].records.size(); ++t)
      CHECK(late[p].run.ranks[1].records[t].start == normal[p].run.ranks[1].records[t].start + kLate);
  }
}

TEST_CASE("cluster: one rank that starts late holds all others up, whatever moves the rows") {
  for (const char* execution : {"static", "dynamic", "kernel"}) {
    const std::string how = std::string("experiment.execution=") + execution;
    const auto late = run_experiment(small({how, "ranks.start.2=500 us"}), true);
    for (const PassResult& pass : late) {
      for (const RankResult& rank : pass.run.ranks) CHECK(rank.end > 500_us);
      CHECK(pass.run.makespan >= pass.bounds.largest());
      for (const TaskRecord& record : pass.run.ranks[2].records)
        CHECK(record.start.time_since_epoch() >= 500_us);
    }
  }
}

TEST_CASE("cluster: rows that come before a rank's scheduler runs wait for it, and are served once") {
  constexpr Duration kLate = 400_us;
  // One token a rank, most to the other's expert: its rows are there long before anything is ready at rank 1.
  const auto late = run_experiment(
      small({"experiment.execution=dynamic", "parallel.ep=2", "model.tokens=1", "model.experts_per_rank=1",
             "model.top_k=1", "cut.partitions=2", "routing.kind=sampled", "ranks.start.1=400 us"}),
      true);
  for (const PassResult& pass : late) {
    CHECK(pass.run.ranks[1].tasks == pass.schedule[1].tasks().size());
    for (const TaskRecord& record : pass.run.ranks[1].records)
      CHECK(record.taken.time_since_epoch() >= kLate);
  }
}

TEST_CASE("cluster: bounds count what a task costs in the way it is run, where launches cost nothing") {
  for (const char* execution : {"static", "dynamic", "kernel"}) {
    const auto passes = run_experiment(
        small({std::string("experiment.execution=") + execution, "parallel.ep=1", "model.tokens=1",
               "model.experts_per_rank=1", "model.top_k=1", "program.tasks.static_task=2 us",
               "program.tasks.dynamic_task=0 us", "program.launch.alone=0 us",
               "program.tasks.cube_task_start=0 us", "program.launch.queued=0 us",
               "program.signals.local_visibility=3 us", "program.collective.fixed=0 us"}),
        false);
    for (const PassResult& pass : passes) CHECK(pass.run.makespan >= pass.bounds.largest());
  }
}

TEST_CASE("cluster: a rank at half the clock takes its arithmetic twice as long") {
  const std::vector<std::string> set{
      "hardware.memory.hbm_read=100 TB/s",     "hardware.memory.hbm_write=100 TB/s",
      "hardware.memory.l2_read=100 TB/s",      "hardware.memory.l2_write=100 TB/s",
      "hardware.memory.l2_line_read=100 TB/s", "program.tasks.cube_task_start=0 us"};
  std::vector<std::string> slow = set;
  slow.push_back("ranks.clock.1=0.5");
  const auto halved = run_experiment(small(slow), true), normal = run_experiment(small(set), true);
  for (std::size_t p = 0; p < normal.size(); ++p) {
    const auto gemm = [&](const std::vector<PassResult>& passes, std::size_t rank) {
      Duration busy{};
      const Ssc& ssc = passes[p].schedule[rank];
      for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
        if (ssc.tasks()[t].queue_type == 0) busy += passes[p].run.ranks[rank].records[t].ideal;
      }
      return milliseconds(busy);
    };
    CHECK(gemm(halved, 1) == Approx(2 * gemm(normal, 1)).epsilon(1e-4));
    CHECK(gemm(halved, 0) == Approx(gemm(normal, 0)).epsilon(1e-12));
    CHECK(halved[p].run.makespan > normal[p].run.makespan);
    CHECK(halved[p].run.makespan >= halved[p].bounds.largest());
  }
}

TEST_CASE("cluster: workers that look for their events seldom lose up to an interval a wait") {
  const Duration at_once = latency({}), seldom = latency({"experiment.poll={aic: 50 us, aiv: 150 us}"});
  CHECK(seldom > at_once);
  CHECK(latency({"experiment.poll={aic: 1 ps, aiv: 1 ps}"}) == at_once);
  for (const PassResult& pass : run_experiment(small({"experiment.poll={aic: 50 us}"}), true)) {
    for (const RankResult& rank : pass.run.ranks) {
      for (const TaskRecord& record : rank.records) {
        if (record.worker >= 24) continue;
        const Duration waited = record.start - record.taken - 100_ns;
        CHECK(waited % 50_us == Duration::zero());
      }
    }
  }
}

TEST_CASE("cluster: every way of moving rows, tiled or not, moves the same rows and holds its bounds") {
  for (const char* routing : {"balanced", "sampled"}) {
    const std::string kind = std::string("routing.kind=") + routing;
    const auto all = run_experiment(small({kind}), false);
    for (const char* execution : {"static", "kernel"}) {
      for (const char* communication : {"one_sided", "collective"}) {
        const auto passes = run_experiment(small({kind, std::string("experiment.execution=") + execution,
                                                  std::string("experiment.communication=") + communication}),
                                           false);
        for (std::size_t p = 0; p < passes.size(); ++p) {
          CHECK(passes[p].run.makespan >= passes[p].bounds.largest());
          for (std::size_t r = 0; r < kEp; ++r)
            CHECK(passes[p].run.ranks[r].sent == all[p].run.ranks[r].sent);
        }
      }
    }
  }
  CHECK_THAT(cluster_refusal({"experiment.execution=dynamic", "experiment.communication=collective"}),
             Contains("experiment.communication") && Contains("expected one_sided"));
}

TEST_CASE("cluster: tiles between collectives begin when the last rank's rows have come, and not before") {
  const Experiment experiment = small({"experiment.communication=collective", "routing.kind=sampled"});
  for (const PassResult& pass : run_experiment(experiment, true)) {
    Duration first_compute = Duration::max(), last_put{};
    for (std::size_t r = 0; r < kEp; ++r) {
      const Ssc& ssc = pass.schedule[r];
      for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
        const std::string& op = ssc.operators()[ssc.tasks()[t].op].name;
        const TaskRecord& record = pass.run.ranks[r].records[t];
        if (op == "Dispatch" || op == "Dispatch_bwd")
          last_put = std::max(last_put, record.end.time_since_epoch());
        if (op == "GMM1" || op == "GMM_act_grad")
          first_compute = std::min(first_compute, record.taken.time_since_epoch());
      }
    }
    CHECK(first_compute ==
          last_put + experiment.hardware.fabric.level("node")->latency + experiment.program.launch.queued);
  }
}

TEST_CASE("cluster: a group over two nodes pays the longer way, one with pairs in packages has two ports") {
  const Experiment near = small(), spread = small({"parallel.nodes=2"});
  CHECK(near.run.ranks[3].die == 6);
  CHECK(spread.run.ranks[1].die == 2);
  CHECK(spread.run.ranks[2].die == 16);
  CHECK(total(run_experiment(spread, false)) > total(run_experiment(near, false)));
  const std::vector<std::string> narrow{"hardware.fabric.planes.hccs.egress=5 GB/s", "parallel.tp_stride=2"};
  CHECK(latency({narrow[0], "parallel.tp_stride=1"}) < latency(narrow));
  CHECK(latency({"parallel.tp_stride=400"}) > latency({"parallel.nodes=2"}));  // two supernodes
}

TEST_CASE("cluster: impossible places, ranks and clocks are refused") {
  CHECK_THAT(cluster_refusal({"parallel.nodes=3"}), Contains("parallel.nodes") && Contains("evenly"));
  CHECK_THAT(cluster_refusal({"parallel.nodes=2", "parallel.tp_stride=16"}), Contains("evenly"));
  CHECK_THAT(cluster_refusal({"ranks.start.4=1 us"}), Contains("ranks.start.4") && Contains("from 0 to 3"));
  CHECK_THAT(cluster_refusal({"ranks.clock.x=1"}), Contains("ranks.clock.x") && Contains("from 0 to 3"));
  CHECK_THAT(cluster_refusal({"ranks.clock.1=0"}), Contains("ranks.clock.1"));
  CHECK_THAT(cluster_refusal(
                 {"hardware.fabric.levels.cluster.dies={value: 1536, source: s}", "parallel.tp_stride=600"}),
             Contains("need 1801 dies"));
}

TEST_CASE("cluster: rows that are no whole lines leave at part of a worker's rate") {
  const std::vector<std::string> slow{"hardware.fabric.put_per_worker=1 GB/s", "workers.aiv=1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), slow.begin(), slow.end());
    const PassResult forward = run_experiment(small(more), true).front();
    for (std::size_t t = 0; t < forward.schedule[0].tasks().size(); ++t) {
      const TaskDescriptor& td = forward.schedule[0].tasks()[t];
      if (forward.schedule[0].operators()[td.op].name == "Dispatch" && td.dst != 0)
        return forward.run.ranks[0].records[t].ideal;
    }
    return Duration{};
  };
  // 16 rows of 256 and of 248 elements of two bytes; the others are 31 lines.
  constexpr Duration kOnce = 300_ns + 225_ns;
  CHECK(with({}) == kOnce + transfer_time({16 * 512}, {1'000'000'000}));
  CHECK(with({"model.hidden=248", "cut.chunk=15"}) == kOnce + transfer_time({15 * 496}, {700'000'000}));
}
