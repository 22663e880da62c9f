#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/run/value_range.h"
#include "sim/runtime/topology.h"

using namespace a3sim;

// Communication as libraries have it, against sums of the machine's constants.
namespace {

Experiment shipped(const char* file, const std::vector<std::string>& set) {
  return load_experiment(configs_folder() / "experiments" / file, set);
}

std::vector<Duration> latencies(const Experiment& experiment) {
  std::vector<Duration> times;
  for (const PassResult& pass : run_experiment(experiment, false)) times.push_back(pass.run.makespan);
  return times;
}

// When the first task of an operator begins, on any rank.
Duration begin_of(const PassResult& pass, const std::string& op) {
  Duration begin = Duration::max();
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      if (ssc.operators()[ssc.tasks()[t].op].name == op)
        begin = std::min(begin, pass.run.ranks[r].records[t].start.time_since_epoch());
    }
  }
  return begin;
}

const std::vector<std::string> kHost{"experiment.execution=kernel", "experiment.communication=collective"};

std::vector<std::string> with_more(std::vector<std::string> set, const std::vector<std::string>& more) {
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

constexpr std::int64_t kRowBytes = std::int64_t{7168} * 2;

}  // namespace

TEST_CASE("library: a fused dispatch of single rows is its fixed costs, one after the other") {
  const Experiment experiment = shipped("library_ep.yaml", {"model.tokens=1", "model.top_k=1"});
  const Hardware& h = experiment.hardware;
  const Program& p = experiment.program;
  const PassResult dispatch = run_experiment(experiment, true).front();
  // A row of every rank to rank 0, whose port has room for all: the slowest thing on a row's way is its AIV.
  const Duration row =
      h.fabric.put_startup + transfer_time({kRowBytes}, h.fabric.put_per_worker) + h.fabric.put_fence;
  constexpr std::int64_t kWords = (256 + 47) / 48;  // an expert each, over the AIVs
  const Duration words = p.signals.sync_all + kWords * (h.fabric.put_startup + h.fabric.put_fence);
  CHECK(begin_of(dispatch, "Receive") ==
        p.launch.alone + row + words + h.fabric.level("node")->latency + p.signals.sync_all);
}

TEST_CASE("library: a large dispatch has sent its rows when its busiest port can have, or little later") {
  const Experiment experiment = shipped("library_ep.yaml", {"model.tokens=4096", "parallel.tp_stride=2"});
  const PassResult dispatch = run_experiment(experiment, true).front();
  constexpr std::int64_t kSent = 4096 * 8 * 7 / 8 * kRowBytes;
  const Duration port = transfer_time({kSent}, experiment.hardware.fabric.planes[1].egress);
  const Duration sent = begin_of(dispatch, "Receive");
  CHECK(sent > port);
  CHECK(microseconds(sent) < 1.05 * microseconds(port));
}

TEST_CASE(
    "library: a row that is quantised for an expert takes the scalar unit its time, once for each expert") {
  constexpr int kRows = 96 * 8 / 48;  // of an AIV
  const auto puts_begin = [](const char* scalar_row, const char* quantize) {
    const Experiment experiment =
        shipped("library_ep.yaml", {"model.tokens=96", "library_ep.dispatch=int8",
                                    std::string("library_ep.quantize=") + quantize,
                                    std::string("program.tasks.scalar_row=") + scalar_row});
    return microseconds(begin_of(run_experiment(experiment, true).front(), "Dispatch"));
  };
  CHECK(puts_begin("3 us", "row") - puts_begin("1 us", "row") == Approx(2.0 * kRows).epsilon(1e-3));
  CHECK(puts_begin("3 us", "token") == puts_begin("1 us", "token"));
}

TEST_CASE("library: every byte that is sent is received, and int8 rows carry their scales") {
  for (const auto& [dtype, row] : {std::pair{"as_model", kRowBytes}, std::pair{"int8", kRowBytes / 2 + 32}}) {
    for (const bool host : {false, true}) {
      const std::vector<std::string> set{"model.tokens=64", std::string("library_ep.dispatch=") + dtype};
      const Experiment experiment = shipped("library_ep.yaml", host ? with_more(set, kHost) : set);
      const PassResult dispatch = run_experiment(experiment, false).front();
      constexpr std::int64_t kCounts = 32 * 32 * 7;  // the host's: 32 bytes per expert of seven other ranks
      std::uint64_t received = 0, sent = 0;
      for (const RankResult& rank : dispatch.run.ranks) {
        CHECK(rank.sent == std::uint64_t(64 * 8 * 7 / 8 * row + (host ? kCounts : 0)));
        received += rank.received;
        sent += rank.sent;
      }
      CHECK(sent == received);
    }
  }
}

TEST_CASE("library: more tokens and more ranks never take less time", "[slow]") {
  for (const std::vector<std::string>& way : {std::vector<std::string>{}, kHost}) {
    for (const char* key : {"model.tokens", "parallel.ep"}) {
      std::vector<Duration> before(2, Duration::zero());
      const bool tokens = std::string(key) == "model.tokens";
      for (const int value : tokens ? std::vector{1, 8, 64, 512} : std::vector{8, 16, 64}) {
        INFO(key << " " << value << (way.empty() ? ", fused" : ", host"));
        const std::vector<Duration> now = latencies(
            shipped("library_ep.yaml", with_more({std::string(key) + "=" + std::to_string(value)}, way)));
        for (std::size_t p = 0; p < 2; ++p) CHECK(now[p] >= before[p]);
        before = now;
      }
    }
  }
}

TEST_CASE("library: the host sends the counts, reads them back, and only then sends rows") {
  const Experiment experiment = shipped("library_ep.yaml", with_more({"model.tokens=16"}, kHost));
  const Program& p = experiment.program;
  const PassResult dispatch = run_experiment(experiment, true).front();
  const Duration peers = p.collective.fixed + 7 * p.collective.per_peer;
  // Launch, counts, launch with what was read back, sorting, launch, rows.
  CHECK(begin_of(dispatch, "Notify") == p.launch.alone + peers);
  CHECK(begin_of(dispatch, "Permute") >=
        begin_of(dispatch, "Notify") + p.collective.read_back + p.launch.queued);
  CHECK(begin_of(dispatch, "Dispatch") >= begin_of(dispatch, "Permute") + p.launch.queued + peers);
}

TEST_CASE("library: latencies lie between those of the ends of what sources give") {
  for (const std::vector<std::string>& way : {std::vector<std::string>{}, kHost}) {
    const Experiment experiment = shipped("library_ep.yaml", way);
    const LatencyRange range = latency_range(experiment, compile_all(experiment));
    const std::vector<Duration> now = latencies(experiment);
    for (std::size_t p = 0; p < 2; ++p) {
      CHECK(range.fast[p] < now[p]);
      CHECK(now[p] < range.slow[p]);
    }
    const bool fused = way.empty();
    const auto assumes = [&](const char* path) {
      return std::ranges::find(range.assumed, path, &SourcedValue::path) != range.assumed.end();
    };
    CHECK(assumes("program.signals.sync_all") == fused);
    CHECK(assumes("program.collective.fixed") == !fused);
  }
}

TEST_CASE(
    "library: an all-gather of the host takes its fixed cost, a cost a peer, and its bytes at the rate") {
  const Experiment experiment = shipped("allgather_gemm.yaml", kHost);
  const Hardware& h = experiment.hardware;
  const Program& p = experiment.program;
  const PassResult pass = run_experiment(experiment, true).front();
  constexpr std::int64_t kBlock = 8192 / 8 * 8192 * 2;
  const Duration bytes = transfer_time({7 * kBlock}, p.collective.rate);
  const Duration expected = p.launch.alone + p.collective.fixed + 7 * p.collective.per_peer + bytes +
                            h.fabric.level("node")->latency + p.launch.queued;
  CHECK(microseconds(begin_of(pass, "GMM")) == Approx(microseconds(expected)).epsilon(1e-4));
}

TEST_CASE("library: rows that are gathered beside the product cost less than both one after the other") {
  for (const std::string file : {"allgather_gemm.yaml", "gemm_reduce_scatter.yaml"}) {
    const Experiment tiles = shipped(file.c_str(), {});
    CHECK_THAT(tiles.latency_definition, Catch::Contains(" on each of 8 ranks") &&
                                             Catch::Contains("m = 8192, n = 2048, k = 8192; tile by tile"));
    const PassResult beside = run_experiment(tiles, false).front();
    CHECK(beside.run.makespan < latencies(shipped(file.c_str(), kHost)).front());
    for (const Duration bound : beside.bounds.time) CHECK(beside.run.makespan >= bound);
    constexpr std::uint64_t kGathered = 8192ULL / 8 * 8192 * 2 * 7, kScattered = 8192ULL / 8 * 2048 * 2 * 7;
    for (const RankResult& rank : beside.run.ranks)
      CHECK(rank.sent == (file == "allgather_gemm.yaml" ? kGathered : kScattered));
  }
}
