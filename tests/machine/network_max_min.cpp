#include <catch2/catch.hpp>

#include "tests/machine/network_fixture.h"

using namespace a3sim;
using namespace a3sim::testing;

// What backends with max-min rates have beyond the contract, in closed form.

TEST_CASE("what a capped flow leaves goes to the others at its port") {
  const std::string backend = GENERATE(from_range(max_min_backends()));
  INFO(backend);
  // 100 = 10 + 2 · 45; then, the capped one outlasting them, nothing changes for it.
  const std::vector<Put> puts = {
      {0, 0, 1, 10'000'000, 10 * kGB}, {0, 0, 1, 9'000'000, kWide}, {0, 0, 2, 18'000'000, kWide}};
  // The second ends at 9e6/45e9 = 200 us with 9e6 left of the third, which then gets 90.
  CHECK(run(*create(backend, 3, kPort, kPort), puts) ==
        std::vector<End>{{kMs / 5, 1}, {kMs / 5 + kMs / 10, 2}, {kMs, 0}});
}

TEST_CASE("water fills in levels: the fuller port first, its flows then leave more to those at the other") {
  const std::string backend = GENERATE(from_range(max_min_backends()));
  INFO(backend);
  // Rank 3 receives from 0, 1 and 2: 100/3 each. Rank 4 receives from 2 only: 200/3 is left at port 2.
  const auto network = create(backend, 5, kPort, kPort);
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

TEST_CASE("a flow's egress and ingress ports are unrelated: their numbers may be the same, or of two sizes") {
  const std::string backend = GENERATE(from_range(max_min_backends()));
  INFO(backend);
  const auto network = create(backend, {kPort}, {kWide, kWide, kPort / 4});
  network->start(at(0), {0, 0, 1'000'000_B, {kWide}, 0});
  network->start(at(0), {0, 2, 1'000'000_B, {kWide}, 1});
  CHECK(network->egress_rate(0) == Approx(1.0 * kPort).epsilon(1e-12));
  CHECK(network->ingress_rate(0) == Approx(0.75 * kPort).epsilon(1e-12));
  CHECK(network->ingress_rate(1) == 0);
  CHECK(network->ingress_rate(2) == Approx(0.25 * kPort).epsilon(1e-12));
  CHECK(network->next_end() == at(transfer(1'000'000, 3 * kPort / 4)));
}
