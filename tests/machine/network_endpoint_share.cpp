#include <catch2/catch.hpp>

#include "tests/machine/network_fixture.h"

using namespace a3sim;
using namespace a3sim::testing;

TEST_CASE("endpoint share: what a flow leaves at one port, held back at another, no one takes") {
  // Rank 3 receives from 0, 1 and 2: 100/3 each. 2 -> 4 has half of port 2, though 2 -> 3 uses but a third.
  const std::vector<Put> puts = {{0, 0, 3, 50'000'000, kWide},
                                 {0, 1, 3, 50'000'000, kWide},
                                 {0, 2, 3, 50'000'000, kWide},
                                 {0, 2, 4, 50'000'000, kWide}};
  const auto network = create("endpoint-share", 5, kPort, kPort);
  for (std::uint32_t i = 0; i < puts.size(); ++i) {
    network->start(at(0), {puts[i].from, puts[i].to, {puts[i].bytes}, {puts[i].cap}, i});
  }
  CHECK(network->egress_rate(2) == Approx(kPort / 2.0 + kPort / 3.0).epsilon(1e-12));
  CHECK(network->ingress_rate(4) == Approx(kPort / 2.0).epsilon(1e-12));
  CHECK(network->ingress_rate(3) == Approx(kPort).epsilon(1e-12));
  CHECK(run(*create("endpoint-share", 5, kPort, kPort), puts) ==
        std::vector<End>{{kMs, 3}, {kMs + kMs / 2, 0}, {kMs + kMs / 2, 1}, {kMs + kMs / 2, 2}});
}

TEST_CASE("endpoint share: a capped flow's share is its port's, whatever it takes of it") {
  // 10 of its 50; the other keeps 50 until the capped one has ended, at 1 ms, and then has 100.
  CHECK(run(*create("endpoint-share", 3, kPort, kPort),
            {{0, 0, 1, 10'000'000, 10 * kGB}, {0, 0, 2, 100'000'000, kWide}}) ==
        std::vector<End>{{kMs, 0}, {kMs + kMs / 2, 1}});
}

TEST_CASE("endpoint share: a change at one port leaves the flows of others bit-identical") {
  const std::vector<Put> puts = {{0, 0, 1, 999'983, 13 * kGB}, {3, 0, 1, 1'000'003, kWide}};
  std::vector<Put> busy = puts;
  for (std::int64_t i = 0; i < 50; ++i) busy.push_back({7 + 1'009 * i, 2, 3, 100'003 * (1 + i % 7), kWide});
  std::vector<End> ends = run(*create("endpoint-share", 4, kPort, kPort), busy);
  std::erase_if(ends, [](const End& e) { return e.token > 1; });
  CHECK(ends == run(*create("endpoint-share", 4, kPort, kPort), puts));
}
