#include "sim/core/statistics.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sim/core/rng.h"

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

}  // namespace

TEST_CASE("a quantile lies between two numbers in proportion") {
  CHECK(quantile({5}, 0.05) == 5);
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({0, 10}, 0.25) == 2.5);
  CHECK(quantile({4, 3, 2, 1, 0}, 1) == 4);
}

TEST_CASE("a median is the middle number, or the mean of the two in the middle, and 0 of none") {
  CHECK(median({7, 1, 3}) == 3);
  CHECK(median({7, 1, 3, 4}) == 3.5);
  CHECK(median({}) == 0);
}

TEST_CASE("the interval of a mean has the width that Student's t distribution gives") {
  // Means 1 and 3: their mean is 2, its standard error 1, Student's factor for one degree of freedom 12.7062
  // (Abramowitz and Stegun, table 26.10).
  const MeanInterval mean = mean_interval_of_groups({{0, 2}, {3, 3}});
  CHECK(mean.mean == 2);
  CHECK(mean.low == Approx(2 - 12.7062));
  CHECK(mean.high == Approx(2 + 12.7062));
  CHECK(mean_interval_of_groups({{1, 2}}).low == 1.5);
  // Eleven numbers of standard deviation 1: ten degrees of freedom, factor 2.22814.
  const std::vector<double> numbers{
      -1.5811388300841898, 1.5811388300841898, -1.5811388300841898, 1.5811388300841898, 0, 0, 0, 0, 0, 0, 0};
  CHECK(mean_interval(numbers).high == Approx(2.22814 / std::sqrt(11.0)));
}

TEST_CASE("the interval of a median is the narrowest between two of the numbers that covers 95 of 100 ways") {
  constexpr double kSure = 0.95;
  for (std::size_t n = kFewestRuns; n <= 16; ++n) {
    std::size_t k = 1;
    while (coverage(n, k + 1) >= kSure) ++k;
    REQUIRE(coverage(n, k) >= kSure);
    const MedianInterval interval = median_interval(numbers_to(n));
    INFO(n);
    CHECK(interval.low == static_cast<double>(k));
    CHECK(interval.high == static_cast<double>(n + 1 - k));
    CHECK(interval.median == (static_cast<double>(n) + 1) / 2);
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
      const MedianInterval interval = median_interval(drawn);
      held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
    }
    INFO(n);
    CHECK(held > 0.94 * kTrials);
  }
}

TEST_CASE("a median polish gives back the row and the column that a table was made of") {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t ranks : {4U, 8U, 16U}) {
    std::vector<std::vector<double>> cells(ranks, std::vector<double>(ranks));
    for (std::size_t s = 0; s < ranks; ++s) {
      for (std::size_t d = 0; d < ranks; ++d)
        cells[s][d] = s == d ? kNothing : 0.1 - (s == 1 ? 0.7 : 0) - (d == 2 ? 0.4 : 0);
    }
    cells[3][0] -= 1.5;
    const MedianPolish polish = median_polish(cells);
    CHECK(polish.overall == Approx(0.1));
    CHECK(polish.rows[1] == Approx(-0.7));
    CHECK(polish.columns[2] == Approx(-0.4));
    CHECK(polish.rest[3][0] == Approx(-1.5));
    CHECK(std::isnan(polish.rest[0][0]));
    for (std::size_t s = 0; s < ranks; ++s)
      for (std::size_t d = 0; d < ranks; ++d)
        if (s != d)
          CHECK(polish.overall + polish.rows[s] + polish.columns[d] + polish.rest[s][d] ==
                Approx(cells[s][d]));
  }
}
