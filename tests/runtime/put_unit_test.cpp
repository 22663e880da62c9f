#include "sim/runtime/put_unit.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/runtime/links.h"

namespace a3sim {
namespace {

TEST_CASE(
    "A put starts up, flows at its worker's rate, is seen one hop later, and frees its worker a fence "
    "later") {
  Links links(2);
  Engine engine;
  links[0].start(engine, 1, put_of(1, 5), OpId{0}, 1);
  engine.run();
  const Duration left = kStartup + flow_time(5, kPutRate);
  const Site& source = links.sites[0];
  CHECK(source.left[1] == Time(left));
  CHECK(source.seen[1] == Time(left + kHop));
  CHECK(source.ended[1] == Time(left + kFence));
  const PutUnit::Outcome& outcome = links[0].outcome(1);
  CHECK(outcome.ideal == left + kFence);
  CHECK(outcome.lost == Duration::zero());
  CHECK(links[0].sent() == std::uint64_t{5} * kRowBytes);
  CHECK(links[1].received() == std::uint64_t{5} * kRowBytes);
}

TEST_CASE("A put reads its source's memory and writes its destination's, and nothing else") {
  Links links(3);
  Engine engine;
  links[0].start(engine, 0, put_of(2, 3), OpId{0}, 1);
  engine.run();
  constexpr std::uint64_t kBytes = 3 * kRowBytes;
  CHECK(links.sites[0].read == kBytes);
  CHECK(links.sites[2].written == kBytes);
  CHECK(links.sites[0].written + links.sites[2].read + links.sites[1].read + links.sites[1].written == 0);
}

TEST_CASE("What puts of one time write comes by worker and way round the group, whoever was first to start") {
  // To rank 0, of three: rank 2 is one behind it, rank 1 two.
  const std::vector<std::array<std::uint32_t, 3>> puts{{1, 0, 3}, {2, 0, 4}, {1, 1, 5}, {2, 1, 6}};
  for (const bool reversed : {false, true}) {
    Links links(3);
    Engine engine;
    std::vector<std::array<std::uint32_t, 3>> order = puts;
    if (reversed) std::ranges::reverse(order);
    for (const auto& [rank, worker, rows] : order)
      links[rank].start(engine, worker, put_of(0, rows, rank), OpId{0}, 1);
    engine.run();
    CHECK(links.sites[0].wrote == std::vector<std::uint32_t>{4, 3, 6, 5});
  }
}

TEST_CASE("What ports take of a memory does not depend on the order in which puts began and ended") {
  const std::vector<std::pair<double, double>> puts{{100, 0.1}, {7, 0.3}, {1e9, 1e9 / 3}, {3, 2.9}};
  const auto rates_after = [&](auto first, auto last) {
    const Hardware::MemorySystem memory = small_machine().memory;
    PortLoad load(memory);
    for (auto put = first; put != last; ++put) load.leave(put->first, put->second);
    load.leave(-puts[2].first, -puts[2].second);
    return load.rates(1, 1);
  };
  CHECK(rates_after(puts.begin(), puts.end()) == rates_after(puts.rbegin(), puts.rend()));
  CHECK(rates_after(puts.begin(), puts.end())[2] == Approx(3.3 / 110).epsilon(1e-6));
}

TEST_CASE("A put without bytes is a signal: seen one hop later, its worker free after the fence") {
  Links links(2);
  Engine engine;
  links[0].start(engine, 0, put_of(1, 0), OpId{0}, 1);
  engine.run();
  CHECK(links.sites[0].left[0] == Time());
  CHECK(links.sites[0].seen[0] == Time(kHop));
  CHECK(links.sites[0].ended[0] == Time(kFence));
  CHECK(links[0].outcome(0).ideal == kFence);
}

TEST_CASE("A copy engine starts up and goes at its own rate, and is free once the last byte has left") {
  const Hardware::CopyEngine copies{1, BytesPerSecond{2 * kPutRate.count}, 3 * kStartup};
  Links links(2);
  Engine engine;
  links[0].start(engine, 1, put_of(1, 5), OpId{0}, 1, &copies);
  engine.run();
  const Duration left = copies.startup + flow_time(5, copies.rate);
  const Site& source = links.sites[0];
  CHECK(source.left[1] == Time(left));
  CHECK(source.seen[1] == Time(left + kHop));
  CHECK(source.ended[1] == Time(left));
  CHECK(links[0].outcome(1).ideal == left);
}

TEST_CASE("Two puts that share a port take twice as long, and what they lose is told apart") {
  Hardware hardware = small_machine();
  hardware.fabric.planes = {{"plane", kPutRate, kPutRate, kPutRate}};  // a port for one worker's put
  Links links(3, hardware);
  Engine engine;
  links[0].start(engine, 0, put_of(1, 4), OpId{0}, 1);
  links[0].start(engine, 1, put_of(2, 4), OpId{0}, 1);
  engine.run();
  const Duration alone = flow_time(4, kPutRate);
  for (const std::uint32_t worker : {0U, 1U}) {
    CHECK(links.sites[0].left[worker] == Time(kStartup + 2 * alone));
    CHECK(links[0].outcome(worker).ideal == kStartup + alone + kFence);
    CHECK(links[0].outcome(worker).lost == alone);
  }
}

TEST_CASE("A put whose rows are no whole lines goes at the unaligned part of its rate") {
  Hardware hardware = small_machine();
  hardware.fabric.unaligned = 0.5;
  Links links(2, hardware);
  Work ragged = put_of(1, 4);
  for (Stream& stream : ragged.streams) stream.bytes -= 4 * 64;  // 64 bytes per row
  ragged.put_bytes -= 4 * 64;
  Engine engine;
  links[0].start(engine, 0, put_of(1, 4), OpId{0}, 1);
  links[0].start(engine, 1, ragged, OpId{0}, 1);
  engine.run();
  const Duration half =
      transfer_time(Bytes{static_cast<std::int64_t>(ragged.put_bytes)}, BytesPerSecond{kPutRate.count / 2});
  CHECK(links.sites[0].left[0] == Time(kStartup + flow_time(4, kPutRate)));
  CHECK(links.sites[0].left[1] == Time(kStartup + half));
}

TEST_CASE("A pull waits longer for rows that the other rank's L2 lacks, as a load does, and a put does not") {
  Hardware hardware = small_machine();
  hardware.vector.gm_to_ub = 64;  // a byte from the HBM takes 1/16 - 1/64 ns longer
  hardware.vector.gm_to_ub_miss = 16;
  Links links(2, hardware);
  links.sites[1].found.hbm_read = 2 * kRowBytes;  // half of the rows
  Engine engine;
  links[0].start(engine, 0, put_of(0, 4, 1), OpId{0}, 1);
  links[1].start(engine, 0, put_of(0, 4, 1), OpId{0}, 1);
  engine.run();
  const Duration before = kStartup + 2 * kHop, found = flow_time(4, kPutRate);
  const double longer = 2 * kRowBytes * (1.0 / 16 - 1.0 / 64);  // ns
  const double took = seconds(links.sites[0].left[0].time_since_epoch() - before);
  CHECK(took == Approx(seconds(found) + longer * 1e-9).epsilon(1e-6));
  const PutUnit::Outcome& outcome = links[0].outcome(0);
  CHECK(outcome.ideal == before + found + kFence);
  CHECK(seconds(outcome.missing) == Approx(longer * 1e-9).epsilon(1e-6));
  CHECK(outcome.lost <= Duration(1));
  CHECK(links.sites[1].left[0] == Time(kStartup + found));
  CHECK(links[1].outcome(0).missing == Duration::zero());
}

TEST_CASE("A stream of pieces takes its pieces and its bytes, and starts up no further") {
  Hardware hardware = small_machine();
  hardware.fabric.put_stream = BytesPerSecond{kPutRate.count / 2};
  hardware.fabric.put_piece = 3 * kStartup;
  Links links(2, hardware);
  Work pieces = put_of(1, 4);
  pieces.put_pieces = 4;
  Engine engine;
  links[0].start(engine, 0, pieces, OpId{0}, 1);
  engine.run();
  const Duration all = 4 * hardware.fabric.put_piece + flow_time(4, hardware.fabric.put_stream);
  CHECK(seconds(links.sites[0].left[0].time_since_epoch()) == Approx(seconds(all)).epsilon(1e-6));
  CHECK(links.sites[0].ended[0] == links.sites[0].left[0] + kFence);
}

TEST_CASE("Each put under way takes its piece from what loads from the L2 may have under way") {
  constexpr double kRead = 1e15;  // small_machine()
  Hardware hardware = small_machine();
  hardware.memory.in_flight = Bytes{64 * kRowBytes};
  hardware.fabric.put_stream = kPutRate;
  Links links(2, hardware);
  Engine engine;
  for (const std::uint32_t worker : {0U, 1U, 2U}) {
    Work rows = put_of(1, 4 + worker);
    rows.put_pieces = 4 + worker;  // a row is a piece
    links[0].start(engine, worker, rows, OpId{0}, 1);
  }
  links[1].start(engine, 0, put_of(1, 4, 0), OpId{0}, 1);  // pulls hold nothing
  engine.run();
  const auto l2_read = [](const auto& rates) { return rates[static_cast<std::size_t>(Resource::kL2Read)]; };
  double most = 0;
  for (const auto& rates : links.sites[0].reserved) most = std::max(most, l2_read(rates));
  CHECK(most == Approx(kRead * 3 / 64).epsilon(1e-3));
  for (const auto& rates : links.sites[1].reserved) CHECK(l2_read(rates) < kRead / 64);
  CHECK(links.sites[0].reserved.back() == std::array<double, kResources>{});
}

TEST_CASE("A memory that serves half of what a put needs makes the put take twice as long") {
  // Every byte that leaves has to come from the HBM, which gives half of a worker's rate (a hundredth of it
  // is the tasks').
  constexpr double kShare = 0.99;
  Hardware hardware = small_machine();
  hardware.fabric.planes = {{"plane", kPutRate, kPutRate, kPutRate}};
  hardware.memory.hbm_read = hardware.memory.hbm_write = BytesPerSecond{kPutRate.count / 2};
  Links links(2, hardware);
  links.sites[0].found.hbm_read = 4 * kRowBytes;
  Engine engine;
  links[0].start(engine, 0, put_of(1, 4), OpId{0}, 1);
  engine.run();
  const double expected = 2 * seconds(flow_time(4, kPutRate)) / kShare;
  CHECK(seconds(links.sites[0].left[0].time_since_epoch() - kStartup) == Approx(expected).epsilon(1e-6));
  REQUIRE_FALSE(links.sites[0].reserved.empty());
  CHECK(links.sites[0].reserved.back() == std::array<double, kResources>{});  // given back in the end
}

TEST_CASE("A port that takes more than its memory serves slows nothing as long as little flows") {
  Hardware hardware = small_machine();
  constexpr BytesPerSecond kFast{1000 * kPutRate.count};
  hardware.fabric.planes = {{"plane", kFast, kFast, kFast}};
  hardware.memory.hbm_read = hardware.memory.hbm_write = BytesPerSecond{2 * kPutRate.count};
  Links links(2, hardware);
  links.sites[0].found.hbm_read = 4 * kRowBytes;
  Engine engine;
  links[0].start(engine, 0, put_of(1, 4), OpId{0}, 1);
  engine.run();
  CHECK(links.sites[0].left[0] == Time(kStartup + flow_time(4, kPutRate)));
}

TEST_CASE("A memory that is full gives its ports equal shares, but no port more than it takes") {
  // Rank 0 sends to its neighbour at three times a worker's rate, and beyond it at one worker's rate. Its HBM gives two and
  // a half: one to the lesser port, and half of what they take to those of the other.
  constexpr double kShare = 0.99;
  Hardware hardware = small_machine();
  hardware.fabric.planes = {{"pair", kPort, kPort, kPort}, {"all", kPort, kPort, kPort}};
  hardware.fabric.levels = {{"pair", 2, 0, kHop}, {"all", kNone, 1, kHop}};
  hardware.memory.hbm_read = hardware.memory.hbm_write =
      BytesPerSecond{static_cast<std::int64_t>(2.5 / kShare * static_cast<double>(kPutRate.count)) + 1};
  Links links(3, hardware);
  links.sites[0].found.hbm_read = 4 * kRowBytes;
  Engine engine;
  links[0].start(engine, 0, put_of(2, 4), OpId{0}, 1);
  for (const std::uint32_t worker : {1U, 2U, 3U}) links[0].start(engine, worker, put_of(1, 4), OpId{0}, 1);
  engine.run();
  const Duration alone = flow_time(4, kPutRate);
  CHECK(links.sites[0].left[0] == Time(kStartup + alone));
  // Half of their bytes are left when the other has gone; then they get five sixths of their rate.
  const double expected = seconds(alone) * (1 + 0.5 * 6 / 5);
  for (const std::uint32_t worker : {1U, 2U, 3U})
    CHECK(seconds(links.sites[0].left[worker].time_since_epoch() - kStartup) ==
          Approx(expected).epsilon(1e-6));
}

}  // namespace
}  // namespace a3sim
