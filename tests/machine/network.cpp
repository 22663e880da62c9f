#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/machine/network_fixture.h"

using namespace a3sim;
using namespace a3sim::testing;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;
constexpr std::int64_t kPort = 100 * kGB;  // 0.1 bytes a picosecond
constexpr std::int64_t kWide = 1000 * kGB;
constexpr std::int64_t kMs = 1'000'000'000;  // picoseconds

std::int64_t transfer(std::int64_t bytes, std::int64_t rate) {
  return transfer_time({bytes}, {rate}).count();
}

}  // namespace

TEST_CASE(
    "a flow alone runs at its cap, or at its port if that is slower, and ends on the rounded-up picosecond") {
  for (std::int64_t bytes : {1LL, 7LL, 1000LL, 5760LL * 128, 1'000'003LL, 470'000'000LL}) {
    for (std::int64_t cap : {13 * kGB, kPort, kWide}) {
      const auto network = native(2, kPort, kPort);
      const std::int64_t start = 12'345;
      CHECK(run(*network, {{start, 0, 1, bytes, cap}}) ==
            std::vector<End>{{start + transfer(bytes, std::min(cap, kPort)), 0}});
    }
  }
}

TEST_CASE("a flow has not ended one picosecond before its end") {
  const auto network = native(2, kPort, kPort);
  network->start(at(0), {0, 1, 1000_B, {kWide}, 42});
  CHECK(network->next_end() == at(10'000));
  std::vector<std::uint32_t> ended;
  network->advance(at(9'999), ended);
  CHECK(ended.empty());
  network->advance(at(10'000), ended);
  CHECK(ended == std::vector<std::uint32_t>{42});
  CHECK(network->next_end() == Time::max());
}

TEST_CASE("n flows out of one port, and n into one, share it evenly") {
  for (std::uint32_t n : {2u, 3u, 7u, 100u}) {
    std::vector<Put> out, in;
    std::vector<End> ends;
    for (std::uint32_t i = 0; i < n; ++i) {
      out.push_back({0, 0, 1 + i, 1'000'000, kWide});
      in.push_back({0, 1 + i, 0, 1'000'000, kWide});
      ends.push_back({transfer(1'000'000LL * n, kPort), i});
    }
    CHECK(run(*native(n + 1, kPort, kPort), out) == ends);
    CHECK(run(*native(n + 1, kPort, kPort), in) == ends);
  }
}

TEST_CASE("what a capped flow leaves goes to the others at its port") {
  // 100 = 10 + 2 · 45; then, the capped one outlasting them, nothing changes for it.
  const std::vector<Put> puts = {
      {0, 0, 1, 10'000'000, 10 * kGB}, {0, 0, 1, 9'000'000, kWide}, {0, 0, 2, 18'000'000, kWide}};
  // The second ends at 9e6/45e9 = 200 us with 9e6 left of the third, which then gets 90.
  CHECK(run(*native(3, kPort, kPort), puts) ==
        std::vector<End>{{kMs / 5, 1}, {kMs / 5 + kMs / 10, 2}, {kMs, 0}});
}

TEST_CASE("water fills in levels: the fuller port first, its flows then leave more to those at the other") {
  // Rank 3 receives from 0, 1 and 2: 100/3 each. Rank 4 receives from 2 only: 200/3 is left at port 2.
  const auto network = native(5, kPort, kPort);
  const std::vector<Put> puts = {{0, 0, 3, 100'000'000, kWide},
                                 {0, 1, 3, 100'000'000, kWide},
                                 {0, 2, 3, 100'000'000, kWide},
                                 {0, 2, 4, 100'000'000, kWide}};
  for (std::uint32_t i = 0; i < puts.size(); ++i) {
    network->start(at(0), {puts[i].from, puts[i].to, {puts[i].bytes}, {puts[i].cap}, i});
  }
  CHECK(network->egress_rate(0) == Approx(kPort / 3.0).epsilon(1e-12));
  CHECK(network->egress_rate(2) == Approx(1.0 * kPort).epsilon(1e-12));
  CHECK(network->ingress_rate(3) == Approx(1.0 * kPort).epsilon(1e-12));
  CHECK(network->ingress_rate(4) == Approx(kPort * 2.0 / 3).epsilon(1e-12));
  CHECK(network->ingress_rate(0) == 0);
  // 2 -> 4 ends after 1.5 ms; port 3 is full until 3 ms whatever happens elsewhere.
  std::vector<std::uint32_t> ended;
  CHECK(network->next_end() == at(3 * kMs / 2));
  network->advance(at(3 * kMs / 2), ended);
  CHECK(ended == std::vector<std::uint32_t>{3});
  CHECK(network->next_end() == at(3 * kMs));
  network->advance(at(3 * kMs), ended);
  CHECK(ended == std::vector<std::uint32_t>{3, 0, 1, 2});
}

TEST_CASE("flows that start later take their share from then on") {
  // Alone for 1 ms, two for 2 ms; the first has moved 100 + 100 MB by then, the second 100.
  CHECK(run(*native(3, kPort, kPort), {{0, 0, 1, 200'000'000, kWide}, {kMs, 0, 2, 150'000'000, kWide}}) ==
        std::vector<End>{{3 * kMs, 0}, {3 * kMs + kMs / 2, 1}});
}

TEST_CASE("a balanced all-to-all keeps every port full and ends everywhere at one date") {
  for (std::uint32_t n : {2u, 3u, 7u, 16u, 33u}) {
    const auto network = native(n, kPort, kPort);
    std::vector<Put> puts;
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) {
        for (int chunk = 0; chunk < 3; ++chunk) puts.push_back({0, src, (src + k) % n, 1'000'003, kWide});
      }
    }
    const auto ends = run(*network, puts);
    const std::int64_t date = transfer(3LL * 1'000'003 * (n - 1), kPort);
    for (std::uint32_t i = 0; i < ends.size(); ++i) REQUIRE(ends[i] == End{date, i});
  }
}

TEST_CASE("flows that end at one date are handed out in order of their start") {
  // Tokens 1 and 2 end together, the later start being the shorter.
  CHECK(run(*native(4, kPort, kPort), {{0, 2, 3, 200'000'000, kPort / 2},
                                       {0, 0, 1, 100'000'000, kPort / 2},
                                       {kMs, 2, 1, 50'000'000, kPort / 2}}) ==
        std::vector<End>{{2 * kMs, 1}, {2 * kMs, 2}, {4 * kMs, 0}});
}

TEST_CASE("ends that were passed over are handed out later, by date, with none lost") {
  const auto network = native(3, kPort, kPort);
  network->start(at(0), {0, 1, 2000_B, {kWide}, 5});
  network->start(at(0), {0, 2, 1000_B, {kWide}, 6});
  // Ends at 20'000 (token 6) and 30'000 (token 5) lie before this start.
  network->start(at(40'000), {1, 2, 1000_B, {kWide}, 7});
  CHECK(network->next_end() == at(20'000));
  std::vector<std::uint32_t> ended;
  network->advance(at(50'000), ended);
  CHECK(ended == std::vector<std::uint32_t>{6, 5, 7});
}

TEST_CASE("the rates of ports may be asked for at any time without changing what happens") {
  const std::vector<Put> puts = {
      {0, 0, 1, 1'000'003, 13 * kGB}, {10, 0, 2, 999'983, kWide}, {17, 2, 1, 77'777, kWide}};
  const auto quiet = run(*native(3, kPort, kPort), puts);
  const auto network = native(3, kPort, kPort);
  std::vector<std::uint32_t> ended;
  for (std::uint32_t i = 0; i < puts.size(); ++i) {
    network->advance(at(puts[i].start), ended);
    network->egress_rate(0);
    network->start(at(puts[i].start), {puts[i].from, puts[i].to, {puts[i].bytes}, {puts[i].cap}, i});
    network->ingress_rate(1);
  }
  for (const End& end : quiet) {
    CHECK(network->next_end() == at(end.date));
    for (std::int64_t before : {end.date - 2, end.date - 1}) {
      network->advance(at(before), ended);
      CHECK(network->egress_rate(0) <= kPort * (1 + 1e-12));
    }
    CHECK(ended.empty());
    network->advance(at(end.date), ended);
    CHECK(ended == std::vector<std::uint32_t>{end.token});
    ended.clear();
  }
}

TEST_CASE("a flow's egress and ingress ports are unrelated: their numbers may be the same, or of two sizes") {
  const auto network = create("native", {kPort}, {kWide, kWide, kPort / 4});
  std::vector<std::uint32_t> ended;
  network->start(at(0), {0, 0, 1'000'000_B, {kWide}, 0});
  network->start(at(0), {0, 2, 1'000'000_B, {kWide}, 1});
  CHECK(network->egress_rate(0) == Approx(1.0 * kPort).epsilon(1e-12));
  CHECK(network->ingress_rate(0) == Approx(0.75 * kPort).epsilon(1e-12));
  CHECK(network->ingress_rate(1) == 0);
  CHECK(network->ingress_rate(2) == Approx(0.25 * kPort).epsilon(1e-12));
  CHECK(network->next_end() == at(transfer(1'000'000, 3 * kPort / 4)));
}

TEST_CASE("a port's new capacity holds from its date on, for flows that run and for those to come") {
  // Full rate for 1 ms, a quarter for 2 ms, full rate again: 100 + 50 MB have gone by 3 ms.
  const std::vector<Put> puts = {{0, 0, 1, 200'000'000, kWide}};
  for (bool egress : {true, false}) {
    const std::uint32_t port = egress ? 0 : 1;
    const std::vector<Change> changes = {{kMs, egress, port, kPort / 4}, {3 * kMs, egress, port, kPort}};
    CHECK(run(*native(2, kPort, kPort), puts, changes) == std::vector<End>{{3 * kMs + kMs / 2, 0}});
    // A capacity of a port that nothing uses, or the same capacity again, changes nothing.
    CHECK(run(*native(2, kPort, kPort), puts, {{kMs / 3, egress, 1 - port, kPort / 4}}) ==
          std::vector<End>{{2 * kMs, 0}});
    CHECK(run(*native(2, kPort, kPort), puts, {{kMs / 3, egress, port, kPort}}) ==
          std::vector<End>{{2 * kMs, 0}});
  }
  const auto network = native(2, kPort, kPort);
  network->set_ingress(at(5), 1, {kPort / 2});
  network->start(at(5), {0, 1, 1000_B, {kWide}, 0});
  CHECK(network->ingress_rate(1) == Approx(kPort / 2).epsilon(1e-12));
  CHECK(network->next_end() == at(5 + 20'000));
}

TEST_CASE(
    "flows without bytes or cap, ports beyond the network or without capacity, and the past are refused") {
  const auto network = native(2, kPort, kPort);
  const auto start = [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes, std::int64_t cap) {
    network->start(at(0), {from, to, {bytes}, {cap}, 0});
  };
  CHECK_THROWS_AS(start(0, 1, 0, 1), std::logic_error);
  CHECK_THROWS_AS(start(0, 1, 1, 0), std::logic_error);
  CHECK_THROWS_AS(start(0, 2, 1, 1), std::logic_error);
  CHECK_THROWS_AS(start(2, 0, 1, 1), std::logic_error);
  CHECK_THROWS_AS(native(2, 0, kPort), std::logic_error);
  CHECK_THROWS_AS(native(2, kPort, 0), std::logic_error);
  CHECK_THROWS_AS(network->set_egress(at(0), 0, {0}), std::logic_error);
  CHECK_THROWS_AS(network->set_ingress(at(0), 2, {kPort}), std::logic_error);
  CHECK_THROWS_AS(network->egress_rate(2), std::logic_error);
  CHECK_THROWS_AS(network->ingress_rate(2), std::logic_error);
  CHECK(network->next_end() == Time::max());
  network->start(at(5), {0, 1, 1_B, {1}, 0});
  CHECK_THROWS_AS(network->start(at(4), {0, 1, 1_B, {1}, 0}), std::logic_error);
  CHECK_THROWS_AS(network->set_egress(at(4), 0, {1}), std::logic_error);
}
