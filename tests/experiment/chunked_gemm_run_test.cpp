#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "sim/experiment/config/block_choice.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"

using namespace a3sim;

namespace {

PassResult chunked_run(const std::vector<std::string>& set) {
  return run_experiment(load_experiment(configs_folder() / "experiments" / "allgather_matmul.yaml", set),
                        true)
      .front();
}

// The first start and the last end of an operator's tasks on rank 0.
std::pair<Duration, Duration> operator_span(const PassResult& run, const std::string& op) {
  const Ssc& ssc = run.schedule.front();
  Duration first = Duration::max(), last{};
  for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
    if (ssc.operators()[ssc.tasks()[t].op].name != op) continue;
    first = std::min(first, run.run.ranks[0].records[t].start.time_since_epoch());
    last = std::max(last, run.run.ranks[0].records[t].end.time_since_epoch());
  }
  return {first, last};
}

}  // namespace

TEST_CASE("Movers that put piece by piece wait for one another's bytes on the port") {
  for (const int movers : {1, 8}) {
    // Each mover has one block of 64 rows to put to the other die of the package.
    const PassResult run = chunked_run({"gemm.ranks=2", "gemm.part=gather", "gemm.meets=false", "gemm.k=8192",
                                        "gemm.chunk_tiles=8", "gemm.rows=" + std::to_string(64 * movers),
                                        "order.limit.GatherChunk=" + std::to_string(movers)});
    const Hardware hardware =
        load_experiment(configs_folder() / "experiments" / "allgather_matmul.yaml", {}).hardware;
    constexpr double kBytes = 64 * 8192, kRow = 256;
    const double own = 1 / static_cast<double>(hardware.fabric.put_per_worker.count),
                 row = seconds(hardware.fabric.put_row) / kRow,
                 others = (movers - 1) / static_cast<double>(hardware.fabric.planes.front().egress.count);
    const double expected = kBytes * (own + row + others) + seconds(hardware.fabric.put_startup);
    const TaskRecord& put = run.run.ranks[0].records[0];
    CHECK(seconds(put.end - put.start) ==
          Approx(expected + seconds(hardware.fabric.put_fence)).epsilon(1e-3));
  }
}

TEST_CASE("A mover that has one piece under way loads each once the one before has come") {
  const auto took = [](const char* overlap) {
    const PassResult run = chunked_run(
        {"gemm.ranks=2", "gemm.part=gather", "gemm.meets=false", "gemm.k=8192", "gemm.rows=64", overlap});
    const TaskRecord& put = run.run.ranks[0].records[0];
    return seconds(put.end - put.start);
  };
  const Hardware hardware =
      load_experiment(configs_folder() / "experiments" / "allgather_matmul.yaml", {}).hardware;
  constexpr double kBytes = 64 * 8192, kPieces = 8192 / 256;
  const double loads = kBytes / (hardware.vector.gm_to_ub_miss * static_cast<double>(hardware.clock.count)),
               waits = kPieces * seconds(hardware.fabric.put_startup + hardware.fabric.put_fence +
                                         hardware.fabric.levels.front().latency);
  CHECK(took("program.puts.overlap=false") - took("program.puts.overlap=true") ==
        Approx(loads + waits).epsilon(1e-3));
}

TEST_CASE("A chunk goes once the one before has come and its buffer is free") {
  const PassResult run =
      chunked_run({"gemm.ranks=2", "gemm.rows=1024", "gemm.k=512", "gemm.n=4096", "gemm.chunk_tiles=2"});
  const auto span = [&](const std::string& op) { return operator_span(run, op); };
  CHECK(span("Gather1").first >= span("Gather0").second);
  for (int chunk = 2; chunk < 4; ++chunk)
    CHECK(span("Gather" + std::to_string(chunk)).first >= span("GMM" + std::to_string(chunk - 2)).second);
  CHECK(span("GMM").first < span("Gather0").second);
}

TEST_CASE("Where ranks meet around a chunk, two barriers of their cores lie before it and two behind it") {
  const auto span = [](const char* meets) {
    const PassResult run = chunked_run(
        {"gemm.ranks=2", "gemm.rows=1024", "gemm.k=512", "gemm.n=256", "gemm.chunk_tiles=4", meets});
    const auto of_op = [&](const char* op) { return operator_span(run, op); };
    return std::array{of_op("Gather0"), of_op("GMM0"), of_op("Gather1"), of_op("GMM1")};
  };
  const Duration barriers =
                     2 * load_experiment(configs_folder() / "experiments" / "allgather_matmul.yaml", {})
                             .program.signals.sync_all,
                 exchange{3'000'000};  // at most: a word goes to the other die
  const auto met = span("gemm.meets=true"), apart = span("gemm.meets=false");
  const auto lies = [&](Duration wait, int meetings) {
    CHECK(wait >= meetings * barriers);
    CHECK(wait <= meetings * (barriers + exchange));
  };
  lies(met[0].first - apart[0].first, 1);
  lies(met[1].first - met[0].second, 1);
  lies(met[2].first - met[0].second, 2);
  lies(met[3].first - met[2].second, 1);
  CHECK(apart[1].first - apart[0].second < barriers);
}

TEST_CASE("What other ranks have put comes from the HBM, unless the hint of its operator says otherwise") {
  constexpr std::uint64_t kGathered = 1024 * 512;
  const auto fetched = [](const std::vector<std::string>& more) {
    std::vector<std::string> set{"gemm.ranks=2", "gemm.rows=1024", "gemm.k=512", "gemm.n=4096",
                                 "gemm.chunk_tiles=8"};
    set.insert(set.end(), more.begin(), more.end());
    const PassResult run = chunked_run(set);
    const auto& ops = run.schedule.front().operators();
    const auto gmm = std::ranges::find(ops, "GMM0", &OperatorInfo::name) - ops.begin();
    return run.run.ranks[0].l2_by_op[static_cast<std::size_t>(gmm)].hbm_read;
  };
  CHECK(fetched({}) == kGathered);
  CHECK(fetched({"l2.hints.GatherChunk.write=normal"}) == 0);  // B is there from the rank's own rows
  CHECK(fetched({"l2.hints.Gather0.write=normal"}) == 0);      // a name goes before a type
  CHECK_THROWS_WITH(chunked_run({"l2.hints.GatherChunks.write=normal"}),
                    Catch::Matchers::Contains("GatherChunks"));
}

TEST_CASE("Blocks are narrower where less than two rounds of them would leave cores idle") {
  const Tiling usual;
  CHECK(chosen_base_n(2048, 2048, usual, 24) == usual.base_n);  // 128 blocks
  // 8 x 4 blocks of 256 are two rounds, and so are 8 x 6 of 176.
  CHECK(chosen_base_n(1024, 1024, usual, 24) == 176);
}
