#include "sim/study/explore/noise.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "sim/core/rng.h"
#include "sim/experiment/run_experiment.h"
#include "tests/study/small_experiment.h"

using namespace a3sim;

namespace {

std::vector<double> numbers_to(std::size_t n) {
  std::vector<double> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  return numbers;
}

// In how many of all 2^n ways in which n numbers can lie above or below their distribution's median it lies from
// the k-th of them to the k-th from above: by counting.
double coverage(std::size_t n, std::size_t k) {
  std::size_t inside = 0;
  for (std::size_t way = 0; way < std::size_t{1} << n; ++way) {
    std::size_t below = 0;
    for (std::size_t bit = 0; bit < n; ++bit) below += way >> bit & 1;
    inside += below >= k && n - below >= k;
  }
  return static_cast<double>(inside) / static_cast<double>(std::size_t{1} << n);
}

Latencies latencies(const std::vector<std::int64_t>& picoseconds) {
  Latencies of;
  for (const std::int64_t time : picoseconds) of.emplace_back(time);
  return of;
}

}  // namespace

TEST_CASE("the interval of a median is the narrowest between two of the numbers that covers 95 of 100 ways") {
  constexpr double kSure = 0.95;
  for (std::size_t n = kFewestRuns; n <= 16; ++n) {
    std::size_t k = 1;
    while (coverage(n, k + 1) >= kSure) ++k;
    REQUIRE(coverage(n, k) >= kSure);
    const MedianInterval of = median_interval(numbers_to(n));
    INFO(n);
    CHECK(of.low == static_cast<double>(k));
    CHECK(of.high == static_cast<double>(n + 1 - k));
    CHECK(of.median == (static_cast<double>(n) + 1) / 2);
  }
  CHECK(coverage(kFewestRuns - 1, 1) < kSure);  // hence at least six
  const MedianInterval few = median_interval({3, 1, 2});
  CHECK((few.low == 1 && few.median == 2 && few.high == 3));
  const MedianInterval one = median_interval({5});
  CHECK((one.low == 5 && one.median == 5 && one.high == 5));
}

TEST_CASE("of a lopsided distribution the interval holds the median as often as it says") {
  constexpr int kTrials = 4000;
  for (const std::size_t n : {6U, 9U, 20U}) {
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Rng rng(n, static_cast<std::uint64_t>(trial));
      std::vector<double> drawn(n);
      for (double& number : drawn) number = -std::log(1 - rng.uniform());  // its median is ln 2
      const MedianInterval of = median_interval(drawn);
      held += of.low <= std::log(2.0) && std::log(2.0) <= of.high;
    }
    INFO(n);
    CHECK(held > 0.94 * kTrials);
  }
}

TEST_CASE("differences are taken run by run, so that what both runs share cancels") {
  // Runs differ by up to 50 %, the two sides by 1 % in each.
  const Latencies b = latencies({100'000, 150'000, 120'000, 90'000, 110'000, 140'000, 130'000});
  Latencies a = b;
  for (Duration& time : a) time += time / 100;
  const MedianInterval share = relative_difference(a, b), time = difference_between(a, b);
  CHECK(share.median == Approx(0.01));
  CHECK((share.clear() && share.low == Approx(0.01) && share.high == Approx(0.01)));
  CHECK((time.median == 1200 && time.low == 900 && time.high == 1500));
  CHECK_FALSE(relative_difference(b, b).clear());
  Latencies shuffled = a;
  std::ranges::reverse(shuffled);
  CHECK_FALSE(relative_difference(shuffled, b).clear());  // other draws on either side: noise
}

TEST_CASE("an interval that holds nothing at all is called noise") {
  CHECK(interval_in_percent({0.002, 0.001, 0.0035}) == "+0.10..+0.35 %");
  CHECK(interval_in_percent({0.0005, -0.001, 0.0035}) == "-0.10..+0.35 %, noise");
  CHECK(interval_in_percent({0.002, 0, 0.0035}) == "+0.00..+0.35 %, noise");
  CHECK(interval_in_milliseconds({-2e9, -3e9, -1e9}) == "-3.000..-1.000");
  CHECK(interval_in_percent({0.01, 0.01, 0.01}).empty());  // one run has none
}

TEST_CASE("without runs one run decides, the modelled one") {
  const Experiment experiment = small();
  const Compiled compiled = compile_all(experiment);
  Duration total{};
  for (const PassResult& pass : run_experiment(experiment, false)) total += pass.run.makespan;
  JitterOptions off;
  off.runs = 0;  // whatever the spreads are
  CHECK(off.draws() == 1);
  CHECK(jittered_total(experiment, compiled, off, 0) == total);
  CHECK(jittered_total(experiment, compiled, {}, 0) != total);
}
