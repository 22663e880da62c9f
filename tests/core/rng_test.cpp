#include "sim/core/rng.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace a3sim {
namespace {

TEST_CASE("Rng gives the numbers that the reference implementation of pcg64 publishes") {
  Rng rng(42, 54);
  constexpr std::array<std::uint64_t, 6> kPublished = {0x86b1da1d72062b68, 0x1304aa46c9853d39,
                                                       0xa3670e9e0dd50358, 0xf9090e529a7dae00,
                                                       0xc85b9fd837996f2c, 0x606121f8e3919196};
  for (const std::uint64_t expected : kPublished) CHECK(rng.next() == expected);
}

TEST_CASE("Rng repeats for the same seed and stream and differs for another stream or seed") {
  Rng a(7, 3), same(7, 3), stream(7, 4), seed(8, 3);
  const std::uint64_t first = a.next();
  CHECK(same.next() == first);
  CHECK(stream.next() != first);
  CHECK(seed.next() != first);
}

TEST_CASE("Rng::below stays below its bound and reaches every value equally often") {
  constexpr std::uint32_t kBound = 6;
  constexpr int kDraws = 60'000;
  std::array<int, kBound> seen{};
  Rng rng(1);
  for (int i = 0; i < kDraws; ++i) ++seen.at(rng.below(kBound));
  double chi2 = 0;
  constexpr double kExpected = double{kDraws} / kBound;
  for (const int n : seen) chi2 += (n - kExpected) * (n - kExpected) / kExpected;
  constexpr double kFiveDegreesOneInAMillion = 35.9;
  CHECK(chi2 < kFiveDegreesOneInAMillion);
}

TEST_CASE("Rng::below has no bias at a bound that is far from a power of two") {
  // Without rejection, of 3 * 2^30 outcomes the multiples
  // of three would be drawn twice as often as the others.
  constexpr std::uint32_t kBound = 3u << 30;
  constexpr int kDraws = 30'000;
  int multiples = 0;
  Rng rng(5);
  for (int i = 0; i < kDraws; ++i) multiples += rng.below(kBound) % 3 == 0;
  const double deviation = std::sqrt(kDraws * (1.0 / 3) * (2.0 / 3));
  CHECK(std::abs(multiples - kDraws / 3.0) < 5 * deviation);
}

TEST_CASE("Rng::below of one is always zero") {
  Rng rng(9);
  for (int i = 0; i < 100; ++i) CHECK(rng.below(1) == 0);
}

TEST_CASE("Rng::uniform lies in [0, 1) with the mean and variance of the uniform distribution") {
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0;
  Rng rng(11);
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.uniform();
    REQUIRE(x >= 0);
    REQUIRE(x < 1);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  CHECK(mean == Approx(0.5).margin(5 * std::sqrt(1.0 / 12 / kDraws)));
  CHECK(squares / kDraws - mean * mean == Approx(1.0 / 12).epsilon(0.01));
}

TEST_CASE("Neighbouring streams of one seed are not correlated") {
  constexpr int kDraws = 20'000;
  std::vector<Rng> streams;
  for (std::uint64_t s = 0; s < 8; ++s) streams.emplace_back(0, s);
  std::array<std::array<double, 8>, 8> products{};
  for (int i = 0; i < kDraws; ++i) {
    std::array<double, 8> x{};
    for (int s = 0; s < 8; ++s) x[s] = streams[s].uniform() - 0.5;
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < a; ++b) products[a][b] += x[a] * x[b];
  }
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b) CHECK(std::abs(products[a][b] * 12 / kDraws) < 5 / std::sqrt(kDraws));
}

}  // namespace
}  // namespace a3sim
