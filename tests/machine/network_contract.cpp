#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/machine/network_fixture.h"

using namespace a3sim;
using namespace a3sim::testing;

// What every registered backend keeps, with expected times and rates in closed form.

TEST_CASE(
    "a flow alone runs at its cap, or at its port if that is slower, and ends on the rounded-up picosecond") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  for (std::int64_t bytes : {1LL, 7LL, 1000LL, 5760LL * 128, 1'000'003LL, 470'000'000LL}) {
    for (std::int64_t cap : {13 * kGB, kPort, kWide}) {
      const auto network = create(backend, 2, kPort, kPort);
      const std::int64_t start = 12'345;
      CHECK(run(*network, {{start, 0, 1, bytes, cap}}) ==
            std::vector<End>{{start + transfer(bytes, std::min(cap, kPort)), 0}});
    }
  }
}

TEST_CASE("a flow has not ended one picosecond before its end") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  const auto network = create(backend, 2, kPort, kPort);
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
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  for (std::uint32_t n : {2u, 3u, 7u, 100u}) {
    std::vector<Put> out, in;
    std::vector<End> ends;
    for (std::uint32_t i = 0; i < n; ++i) {
      out.push_back({0, 0, 1 + i, 1'000'000, kWide});
      in.push_back({0, 1 + i, 0, 1'000'000, kWide});
      ends.push_back({transfer(1'000'000LL * n, kPort), i});
    }
    CHECK(run(*create(backend, n + 1, kPort, kPort), out) == ends);
    CHECK(run(*create(backend, n + 1, kPort, kPort), in) == ends);
  }
}

TEST_CASE("flows that start later take their share from then on") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  // Alone for 1 ms, two for 2 ms; the first has moved 100 + 100 MB by then, the second 100.
  CHECK(run(*create(backend, 3, kPort, kPort),
            {{0, 0, 1, 200'000'000, kWide}, {kMs, 0, 2, 150'000'000, kWide}}) ==
        std::vector<End>{{3 * kMs, 0}, {3 * kMs + kMs / 2, 1}});
}

TEST_CASE("a balanced all-to-all keeps every port full and ends everywhere at one time") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  for (std::uint32_t n : {2u, 3u, 7u, 16u, 33u}) {
    const auto network = create(backend, n, kPort, kPort);
    std::vector<Put> puts;
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) {
        for (int chunk = 0; chunk < 3; ++chunk) puts.push_back({0, src, (src + k) % n, 1'000'003, kWide});
      }
    }
    const auto ends = run(*network, puts);
    const std::int64_t time = transfer(3LL * 1'000'003 * (n - 1), kPort);
    for (std::uint32_t i = 0; i < ends.size(); ++i) REQUIRE(ends[i] == End{time, i});
  }
}

TEST_CASE("flows that end at one time are handed out in order of their start") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  // Tokens 1 and 2 end together, the later start being the shorter.
  CHECK(run(*create(backend, 4, kPort, kPort), {{0, 2, 3, 200'000'000, kPort / 2},
                                                {0, 0, 1, 100'000'000, kPort / 2},
                                                {kMs, 2, 1, 50'000'000, kPort / 2}}) ==
        std::vector<End>{{2 * kMs, 1}, {2 * kMs, 2}, {4 * kMs, 0}});
}

TEST_CASE("ends that were passed over are handed out later, by time, with none lost") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  const auto network = create(backend, 3, kPort, kPort);
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
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  const std::vector<Put> puts = {
      {0, 0, 1, 1'000'003, 13 * kGB}, {10, 0, 2, 999'983, kWide}, {17, 2, 1, 77'777, kWide}};
  const auto quiet = run(*create(backend, 3, kPort, kPort), puts);
  const auto network = create(backend, 3, kPort, kPort);
  std::vector<std::uint32_t> ended;
  for (std::uint32_t i = 0; i < puts.size(); ++i) {
    network->advance(at(puts[i].start), ended);
    network->egress_rate(0);
    network->start(at(puts[i].start), {puts[i].from, puts[i].to, {puts[i].bytes}, {puts[i].cap}, i});
    network->ingress_rate(1);
  }
  for (const End& end : quiet) {
    CHECK(network->next_end() == at(end.time));
    for (std::int64_t before : {end.time - 2, end.time - 1}) {
      network->advance(at(before), ended);
      CHECK(network->egress_rate(0) <= kPort * (1 + 1e-12));
    }
    CHECK(ended.empty());
    network->advance(at(end.time), ended);
    CHECK(ended == std::vector<std::uint32_t>{end.token});
    ended.clear();
  }
}

TEST_CASE("a port's new capacity holds from its time on, for flows that run and for those to come") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  // Full rate for 1 ms, a quarter for 2 ms, full rate again: 100 + 50 MB have gone by 3 ms.
  const std::vector<Put> puts = {{0, 0, 1, 200'000'000, kWide}};
  for (bool egress : {true, false}) {
    const std::uint32_t port = egress ? 0 : 1;
    const auto what = egress ? Change::What::kEgress : Change::What::kIngress;
    const std::vector<Change> changes = {{kMs, what, port, kPort / 4}, {3 * kMs, what, port, kPort}};
    CHECK(run(*create(backend, 2, kPort, kPort), puts, changes) == std::vector<End>{{3 * kMs + kMs / 2, 0}});
    // A capacity of a port that nothing uses, or the same capacity again, changes nothing.
    CHECK(run(*create(backend, 2, kPort, kPort), puts, {{kMs / 3, what, 1 - port, kPort / 4}}) ==
          std::vector<End>{{2 * kMs, 0}});
    CHECK(run(*create(backend, 2, kPort, kPort), puts, {{kMs / 3, what, port, kPort}}) ==
          std::vector<End>{{2 * kMs, 0}});
  }
  const auto network = create(backend, 2, kPort, kPort);
  network->set_ingress(at(5), 1, {kPort / 2});
  network->start(at(5), {0, 1, 1000_B, {kWide}, 0});
  CHECK(network->ingress_rate(1) == Approx(kPort / 2).epsilon(1e-12));
  CHECK(network->next_end() == at(5 + 20'000));
}

TEST_CASE(
    "flows without bytes or cap, ports beyond the network or without capacity, and the past are refused") {
  const std::string backend = GENERATE(from_range(backends()));
  INFO(backend);
  const auto network = create(backend, 2, kPort, kPort);
  const auto start = [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes, std::int64_t cap) {
    network->start(at(0), {from, to, {bytes}, {cap}, 0});
  };
  CHECK_THROWS_AS(start(0, 1, 0, 1), std::logic_error);
  CHECK_THROWS_AS(start(0, 1, 1, 0), std::logic_error);
  CHECK_THROWS_AS(start(0, 2, 1, 1), std::logic_error);
  CHECK_THROWS_AS(start(2, 0, 1, 1), std::logic_error);
  CHECK_THROWS_AS(create(backend, 2, 0, kPort), std::logic_error);
  CHECK_THROWS_AS(create(backend, 2, kPort, 0), std::logic_error);
  CHECK_THROWS_AS(network->set_egress(at(0), 0, {0}), std::logic_error);
  CHECK_THROWS_AS(network->set_ingress(at(0), 2, {kPort}), std::logic_error);
  CHECK_THROWS_AS(network->egress_rate(2), std::logic_error);
  CHECK_THROWS_AS(network->ingress_rate(2), std::logic_error);
  CHECK(network->next_end() == Time::max());
  network->start(at(5), {0, 1, 1_B, {1}, 0});
  CHECK_THROWS_AS(network->start(at(4), {0, 1, 1_B, {1}, 0}), std::logic_error);
  CHECK_THROWS_AS(network->set_egress(at(4), 0, {1}), std::logic_error);
}
