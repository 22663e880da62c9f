#include "sim/network/max_min.h"

#include <catch2/catch.hpp>

using namespace a3sim;

namespace {

constexpr BytesPerSecond kPortRate{100'000'000'000};
constexpr BytesPerSecond kWideRate{10'000'000'000'000};

// Adds a class with one flow.
void add(MaxMin& network, std::uint32_t from, std::uint32_t to, BytesPerSecond cap) {
  network.add(from, to, cap);
  network.join(static_cast<std::uint32_t>(network.rates().size() - 1));
}

}  // namespace

TEST_CASE("symmetric flows have bit-identical rates, whichever port was filled first") {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    MaxMin all_to_all({std::vector(n, kPortRate), std::vector(n, kPortRate)});
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) add(all_to_all, src, (src + k) % n, kWideRate);
    }
    all_to_all.solve();
    INFO(n << " ranks");
    CHECK(all_to_all.rates() == std::vector<double>(n * (n - 1), all_to_all.rates().front()));
    CHECK(all_to_all.rates().front() == Approx(0.1 / (n - 1)).epsilon(1e-12));
  }
}

TEST_CASE("symmetric flows have bit-identical rates among ports of very unlike capacities") {
  // Every rank sends to every other over three planes of its own; of a die's planes one is far wider than the
  // others. Flows in one plane are symmetric, whatever their number is.
  for (std::uint32_t n : {2u, 3u, 16u, 100u, 384u}) {
    constexpr std::uint32_t kPlanes = 3;
    const std::int64_t capacities[kPlanes] = {1'000'000'000'000'000, 196'000'000'000, 25'000'001};
    NetworkSpec spec;
    for (std::uint32_t p = 0; p < n * kPlanes; ++p) spec.egress.push_back({capacities[p % kPlanes]});
    spec.ingress = spec.egress;
    MaxMin network(spec);
    for (std::uint32_t from = 0; from < n; ++from) {
      for (std::uint32_t k = 1; k < n; ++k) {
        const std::uint32_t to = (from + k) % n, plane = (from + to) % 2;
        add(network, from * kPlanes + plane, to * kPlanes + plane, kWideRate);
        add(network, from * kPlanes + 2, to * kPlanes + 2, kWideRate);
      }
    }
    network.solve();
    INFO(n << " ranks");
    const double slowest = 25'000'001e-12 / (n - 1);
    for (std::uint32_t c = 1; c < network.rates().size(); c += 2) {
      REQUIRE(network.rates()[c] == Approx(slowest).epsilon(1e-12));
      REQUIRE(network.rates()[c] == network.rates()[1]);
    }
  }
}

TEST_CASE("what rounding makes of ports nearly full of others does not part symmetric flows") {
  // Ten caps fill each ingress port, in another order each, but for a hundred-thousandth. It is left to one
  // wide flow a port, and is the same at all, though sums in doubles are not.
  constexpr std::uint32_t kCaps = 10, kFlows = 10'000;
  constexpr std::int64_t kLeft = 1'100'000;
  const auto cap = [](std::uint32_t k) { return 1'000'003 + std::int64_t{7'919} * k; };
  std::int64_t capacity = kLeft;
  for (std::uint32_t k = 0; k < kCaps; ++k) capacity += kFlows * cap(k);
  MaxMin network({std::vector(kCaps + 1, kWideRate), std::vector(kCaps, BytesPerSecond{capacity})});
  for (std::uint32_t to = 0; to < kCaps; ++to) {
    for (std::uint32_t i = 0; i < kCaps; ++i) {
      const std::uint32_t k = (to * 3 + i) % kCaps;
      add(network, k, to, {cap(k)});
      for (std::uint32_t more = 1; more < kFlows; ++more) network.join(to * kCaps + i);
    }
  }
  for (std::uint32_t to = 0; to < kCaps; ++to) add(network, kCaps, to, kWideRate);
  network.solve();
  const std::uint32_t wide = kCaps * kCaps;
  CHECK(network.rates()[wide] == Approx(kLeft * 1e-12).epsilon(1e-9));
  for (std::uint32_t to = 1; to < kCaps; ++to) CHECK(network.rates()[wide + to] == network.rates()[wide]);
}

TEST_CASE(
    "classes of one route with several caps share its ports, and the last takes a removed one's number") {
  MaxMin network({std::vector(3, kPortRate), std::vector(3, kPortRate)});
  const std::int64_t caps[] = {10'000'000'000, 20'000'000'000, 30'000'000'000, kWideRate.count};
  for (std::int64_t cap : caps) add(network, 0, 1, {cap});
  add(network, 2, 1, kWideRate);
  network.solve();
  // 100 = 10 + 20 + 30 at the port of 0 leave 40; at the port of 1, 10 and 20 leave 70 for three: 23.3 each.
  const double fair = 0.07 / 3;
  CHECK(network.rates()[0] == 0.01);
  CHECK(network.rates()[1] == 0.02);
  for (std::uint32_t c : {2u, 3u, 4u}) CHECK(network.rates()[c] == Approx(fair).epsilon(1e-12));
  network.leave(1);
  network.remove(1);
  REQUIRE(network.rates().size() == 4);
  network.leave(2);
  network.remove(2);
  network.solve();
  // Left are the caps 10 and none of route 0 -> 1, and 2 -> 1, which took the number of the second.
  CHECK(network.rates()[0] == 0.01);
  for (std::uint32_t c : {1u, 2u}) CHECK(network.rates()[c] == Approx(0.045).epsilon(1e-12));
}
