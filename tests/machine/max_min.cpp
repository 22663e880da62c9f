#include "sim/network/max_min.h"

#include <catch2/catch.hpp>

using namespace a3sim;

namespace {

constexpr BytesPerSecond kPort{100'000'000'000};
constexpr double kWide = 10;  // bytes a picosecond

}  // namespace

TEST_CASE("symmetric flows have bit-identical rates, whichever port was filled first") {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    MaxMin all_to_all({std::vector(n, kPort), std::vector(n, kPort)});
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) all_to_all.join(all_to_all.add(src, (src + k) % n, kWide));
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
        network.join(network.add(from * kPlanes + plane, to * kPlanes + plane, 1e6));
        network.join(network.add(from * kPlanes + 2, to * kPlanes + 2, 1e6));
      }
    }
    network.solve();
    INFO(n << " ranks");
    const double slowest = 25'000'001e-12 / (n - 1);
    for (std::uint32_t c = 1; c < network.classes(); c += 2) {
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
      for (std::uint32_t i = 0; i < 8; ++i) network.join(network.add((p * 31 + 7) % n, (p + i) % 8, 10));
    }
    for (std::uint32_t i = 0; i < 8; ++i) network.join(network.add(n + i, i, 10));
    network.solve();
    for (std::uint32_t i = 1; i < 8; ++i) CHECK(network.rates()[8 * n + i] == network.rates()[8 * n]);
  }
}

TEST_CASE("classes of one route with several caps are found, removed and renumbered") {
  MaxMin network({std::vector(3, kPort), std::vector(3, kPort)});
  const double caps[] = {0.01, 0.02, 0.03, kWide};
  for (double cap : caps) network.join(network.add(0, 1, cap));
  network.join(network.add(2, 1, kWide));
  for (std::uint32_t c = 0; c < 4; ++c) CHECK(network.find(0, 1, caps[c]) == c);
  CHECK(network.find(0, 2, kWide) == kNone);
  network.solve();
  // 100 = 10 + 20 + 30 at the port of 0 leave 40; at the port of 1, 10 and 20 leave 70 for three: 23.3 each.
  const double fair = 0.07 / 3;
  CHECK(network.rates()[0] == 0.01);
  CHECK(network.rates()[1] == 0.02);
  for (std::uint32_t c : {2u, 3u, 4u}) CHECK(network.rates()[c] == Approx(fair).epsilon(1e-12));
  network.leave(1);
  network.remove(1);
  CHECK(network.classes() == 4);
  CHECK(network.find(0, 1, 0.02) == kNone);
  CHECK(network.find(2, 1, kWide) == 1);  // the last took the place
  CHECK(network.find(0, 1, 0.03) == 2);
  network.solve();
  for (std::uint32_t c : {1u, 2u, 3u}) CHECK(network.rates()[c] == Approx(0.03).epsilon(1e-12));
}
