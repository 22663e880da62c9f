#include "sim/network/max_min.h"

#include <catch2/catch.hpp>

using namespace a3sim;

namespace {

constexpr BytesPerSecond kPort{100'000'000'000};
constexpr double kWide = 10;  // bytes a picosecond

}  // namespace

TEST_CASE("symmetric flows have bit-identical rates, whichever port was filled first") {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    MaxMin all_to_all({n, kPort, kPort});
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) all_to_all.join(all_to_all.add(src, (src + k) % n, kWide));
    }
    all_to_all.solve();
    INFO(n << " ranks");
    CHECK(all_to_all.rates() == std::vector<double>(n * (n - 1), all_to_all.rates().front()));
    CHECK(all_to_all.rates().front() == Approx(0.1 / (n - 1)).epsilon(1e-12));
  }
}

TEST_CASE("classes of one route with several caps are found, removed and renumbered") {
  MaxMin network({3, kPort, kPort});
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
