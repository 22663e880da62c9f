#include "sim/variation/noise.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "sim/core/rng.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/variation/times_faster.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

namespace {

Latencies latencies(const std::vector<std::int64_t>& picoseconds) {
  Latencies latencies;
  for (const std::int64_t time : picoseconds) latencies.emplace_back(time);
  return latencies;
}

}  // namespace

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
  Duration total{};
  for (const PassResult& pass : run_experiment(experiment, false)) total += pass.run.makespan;
  JitterOptions off;
  off.runs = 0;  // whatever the spreads are
  CHECK(off.draws() == 1);
  const auto drawn = [&](const JitterOptions& jitter) {
    const Variant variant{experiment, experiment.work->prepare(experiment, 1)};
    return evaluate({&variant, 1}, {.jitter = jitter}).front().totals();
  };
  CHECK(drawn(off) == Latencies{total});
  CHECK(drawn({}).front() != total);
}

TEST_CASE("the last line says how many times faster the faster one is, whichever it is", "[times_faster]") {
  const Latencies b = latencies({100'000, 200'000, 100'000, 200'000, 100'000, 200'000, 100'000});
  Latencies a = b;
  for (std::size_t run = 0; run < a.size(); ++run)
    a[run] += b[run] / 100 * (run < 3 ? 50 : run < 5 ? 57 : 60);
  const std::string line = times_faster("A", a, "B", b);
  CHECK(line == times_faster("B", b, "A", a));
  // The median of 1.50, 1.57 and 1.60, and half of the way from the least to the most.
  CHECK(line == "B is 1.57 ± 0.05 times faster than A");
  CHECK(times_faster("A", latencies({1'024'000}), "B", latencies({1'000'000})) ==
        "B is 1.024 times faster than A");
  CHECK(times_faster("A", b, "B", b).empty());
}
