#include "sim/network/max_min.h"

#include <catch2/catch.hpp>

using namespace a3sim;

namespace {

constexpr BytesPerSecond kPort{100'000'000'000};
constexpr BytesPerSecond kWide{10'000'000'000'000};

// Adds a class with one flow.
void add(MaxMin& network, std::uint32_t from, std::uint32_t to, BytesPerSecond cap) {
  network.add(from, to, cap);
  network.join(static_cast<std::uint32_t>(network.rates().size() - 1));
}

}  // namespace

TEST_CASE("symmetric flows have bit-identical rates, whichever port was filled first") {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    MaxMin all_to_all({std::vector(n, kPort), std::vector(n, kPort)});
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) add(all_to_all, src, (src + k) % n, kWide);
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
        add(network, from * kPlanes + plane, to * kPlanes + plane, kWide);
        add(network, from * kPlanes + 2, to * kPlanes + 2, kWide);
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

TEST_CASE("ports that fill at one level are filled as one after many others have taken their part of them") {
  // Each egress port has its own level below the common one, which the ingress port of the rest reaches last:
  // what is left of it is a difference of n levels, so symmetric flows through 8 like it must not part.
  for (std::uint32_t n : {10u, 100u, 1000u}) {
    NetworkSpec spec;
    for (std::uint32_t p = 0; p < n; ++p) spec.egress.push_back({1'000'003 + 7'919 * p});
    spec.egress.insert(spec.egress.end(), 8, {1'000'000'000'000});
    spec.ingress.assign(8, {1'000'000'000});
    MaxMin network(spec);
    for (std::uint32_t p = 0; p < n; ++p) {
      for (std::uint32_t i = 0; i < 8; ++i) add(network, (p * 31 + 7) % n, (p + i) % 8, kWide);
    }
    for (std::uint32_t i = 0; i < 8; ++i) add(network, n + i, i, kWide);
    network.solve();
    for (std::uint32_t i = 1; i < 8; ++i) CHECK(network.rates()[8 * n + i] == network.rates()[8 * n]);
  }
}

TEST_CASE(
    "classes of one route with several caps share its ports, and the last takes a removed one's number") {
  MaxMin network({std::vector(3, kPort), std::vector(3, kPort)});
  const std::int64_t caps[] = {10'000'000'000, 20'000'000'000, 30'000'000'000, kWide.count};
  for (std::int64_t cap : caps) add(network, 0, 1, {cap});
  add(network, 2, 1, kWide);
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
