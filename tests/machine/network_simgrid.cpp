#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <exception>
#include <thread>

#include "sim/core/error.h"
#include "tests/machine/network_reference.h"

using namespace a3sim;
using namespace a3sim::testing;

TEST_CASE(
    "SimGrid shares bandwidth as the native network does: all ends within a picosecond, on random loads") {
  const Ports ports = GENERATE(Ports::kEqual, Ports::kMixed, Ports::kChanging, Ports::kCables);
  for (std::uint64_t seed = 5000; seed < 5100; ++seed) {
    Load load = random_load(seed, ports);
    for (CablePath& path : load.paths) {
      for (CableShare& share : path) share.whole = 1;  // SimGrid has one path a flow
    }
    std::vector<std::int64_t> expected(load.puts.size());
    for (const End& e : run(*create("native", load), load.puts, load.changes)) expected[e.token] = e.time;
    const auto ends = run(*create("simgrid", load), load.puts, load.changes);
    REQUIRE(ends.size() == expected.size());
    for (const End& e : ends) {
      INFO("seed " << seed << ", flow " << e.token);
      REQUIRE(std::abs(e.time - expected[e.token]) <= 1);
    }
  }
}

TEST_CASE(
    "SimGrid networks come one after the other, larger and smaller, with nothing left of the one before") {
  const std::vector<Put> puts = {{0, 0, 1, 1'000'000, kWide}, {5, 1, 0, 3'000'000, 13 * kGB}};
  const auto first = run(*create("simgrid", 2, kPort, kPort), puts);
  for (std::uint32_t ports : {2u, 70u, 3u}) {
    const auto abandoned = create("simgrid", ports, kWide, kWide);
    for (std::uint32_t i = 0; i < 5; ++i) abandoned->start(at(0), {0, 1, 1'000'000_B, {kWide + i}, i});
    CHECK(abandoned->egress_rate(0) == Approx(kWide).epsilon(1e-12));
  }
  CHECK(run(*create("simgrid", 2, kPort, kPort), puts) == first);
}

TEST_CASE(
    "a second SimGrid network at a time, from any thread, is refused with a remedy; one after it works") {
  using Catch::Matchers::Contains;
  auto network = create("simgrid", 2, kPort, kPort);
  CHECK_THROWS_WITH(create("simgrid", 2, kPort, kPort), Contains("network.backend=native"));
  std::string refusal;
  std::vector<End> ends;
  std::thread([&] {
    try {
      create("simgrid", 2, kPort, kPort);
    } catch (const RunError& e) {
      refusal = e.what();
    }
  }).join();
  CHECK_THAT(refusal, Contains("network.backend=native"));
  CHECK(run(*network, {{0, 0, 1, 1'000'000, kPort}}) == std::vector<End>{{transfer(1'000'000, kPort), 0}});
  network.reset();
  std::thread([&] { ends = run(*create("simgrid", 3, kPort, kPort), {{0, 0, 2, 1'000'000, kPort}}); }).join();
  CHECK(ends == std::vector<End>{{transfer(1'000'000, kPort), 0}});
}

TEST_CASE("SimGrid's engine leaves the program its signals and its way to die") {
  const auto terminate = std::get_terminate();
  struct sigaction before{}, after{};
  sigaction(SIGINT, nullptr, &before);
  create("simgrid", 2, kPort, kPort);
  sigaction(SIGINT, nullptr, &after);
  CHECK(before.sa_handler == after.sa_handler);
  CHECK(std::get_terminate() == terminate);
}

TEST_CASE("SimGrid has one path a flow: routes that split flows are refused with a remedy") {
  NetworkSpec spec{{{kPort}}, {{kPort}}, {{kPort}, {kPort}}, {{}, {{0, 1, 2}, {1, 1, 2}}}};
  CHECK_THROWS_WITH(Registry<NetworkBackend>::get("simgrid").create(spec),
                    Catch::Matchers::Contains("network.backend=native"));
}
