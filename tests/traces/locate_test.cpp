#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/traces/made_observation.h"
#include "traces/locate/episodes.h"

namespace a3sim {
namespace {

using Own = MadeObservation::Own;

// The same as StepHistory, step after step from all that is known: the oracle.
double plain_median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of.size() % 2 == 1 ? of[of.size() / 2] : (of[of.size() / 2 - 1] + of[of.size() / 2]) / 2;
}

TEST_CASE("a history's median and deviation are those of the last usual steps") {
  const LocateLimits limits;
  StepHistory history(limits);
  std::mt19937 random(3);
  std::vector<double> usual;
  for (int step = 0; step < 200; ++step) {
    const double took = 100 + static_cast<double>(random() % 1000) / 100;
    const bool slow = random() % 5 == 0;
    history.add(took, slow);
    if (!slow) usual.push_back(took);
    if (usual.empty()) continue;
    const std::size_t first = usual.size() > limits.window ? usual.size() - limits.window : 0;
    const std::vector<double> last(usual.begin() + static_cast<std::ptrdiff_t>(first), usual.end());
    const double median = plain_median(last);
    std::vector<double> apart;
    for (const double of : last) apart.push_back(std::abs(of - median));
    REQUIRE(history.median() == Approx(median));
    REQUIRE(history.deviation() == Approx(1.4826 * plain_median(apart)).margin(1e-9));
  }
}

TEST_CASE("a slow rank is named, in the steps in which it is slow") {
  const MadeObservation job(8, 80, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (rank == 5 && step >= 40 && step < 60) own.work = 11;
    return own;
  });
  const Located located = locate(job, LocateLimits());
  REQUIRE(located.episodes.size() == 1);
  const Episode& episode = located.episodes.front();
  CHECK(episode.first() == 40);
  CHECK(episode.last() == 59);
  CHECK(episode.steps.size() == 20);
  CHECK(episode.suspect() == 5);
  CHECK(episode.stable() == 1);
  CHECK(episode.lost == Approx(1e9));
  CHECK(located.usual == Approx(10e9));
}

TEST_CASE("a slowdown of 3 % is known in its second step, from its first") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  const MadeObservation job(4, 60, [&](std::uint32_t step, std::uint32_t rank) {
    Own own;
    own.work = 10 + noise(random) + (rank == 2 && step >= 33 ? 0.3 : 0);
    return own;
  });
  Locator locator(LocateLimits(), 4, {});
  std::uint32_t told = kNone, since = kNone;
  job.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    const StepVerdict& verdict = locator.add(step, records);
    if (!verdict.slow || told != kNone) return;
    told = step;
    since = verdict.before_too ? step - 1 : step;
  });
  CHECK(told <= 34);
  CHECK(since == 33);
  const Located located = locate(job, LocateLimits());
  REQUIRE(located.episodes.size() == 1);
  CHECK(located.episodes.front().first() == 33);
  CHECK(located.episodes.front().suspect() == 2);
}

TEST_CASE("noisy healthy steps are hardly ever slow") {
  std::uint32_t slow = 0, steps = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.1);
    const MadeObservation job(8, 300, [&](std::uint32_t, std::uint32_t) {
      Own own;
      own.work = 10 + noise(random);
      return own;
    });
    const Located located = locate(job, LocateLimits());
    for (const Episode& episode : located.episodes) slow += static_cast<std::uint32_t>(episode.steps.size());
    steps += located.steps;
  }
  CHECK(slow * 300 <= steps);
}

TEST_CASE("a job that is slow from step 0 is seen beside one without faults") {
  const MadeObservation job(4, 20, [](std::uint32_t, std::uint32_t rank) {
    Own own;
    if (rank == 1) own.work = 12;
    return own;
  });
  const Located located = locate(job, LocateLimits());
  REQUIRE(located.episodes.size() == 1);
  CHECK(located.episodes.front().first() == 0);
  CHECK(located.episodes.front().suspect() == 1);
  CHECK(located.by_reference);
}

TEST_CASE("pauses that go from rank to rank are one episode, whose suspect rotates") {
  const MadeObservation job(4, 80, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && step % 8 == rank) own.delay = 6;
    return own;
  });
  const Located located = locate(job, LocateLimits());
  REQUIRE(located.episodes.size() == 1);
  CHECK(located.episodes.front().suspects.size() == 4);
  CHECK(located.episodes.front().stable() < 0.6);
}

TEST_CASE("steps in full are asked for until slow ones were seen, and then no more") {
  const LocateLimits limits;
  Locator locator(limits, 4, {});
  const MadeObservation job(4, 120, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (rank == 3 && step >= 40) own.work = 12;
    return own;
  });
  std::vector<std::uint32_t> recorded;
  job.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    if (!locator.wanted().empty()) {
      recorded.push_back(step);
      CHECK(std::ranges::find(locator.wanted(), 3U) != locator.wanted().end());
      CHECK(locator.wanted().size() > 1);  // a healthy one beside it
    }
    locator.add(step, records);
  });
  CHECK(recorded == std::vector<std::uint32_t>{41, 42, 43});
}

TEST_CASE("what comes and goes is waited for") {
  Locator locator(LocateLimits(), 4, {});
  const MadeObservation job(4, 60, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (rank == 3 && step >= 30 && step % 9 == 0) own.delay = 5;
    return own;
  });
  bool seen = false;
  job.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    const bool recorded = !locator.wanted().empty();
    const StepVerdict& verdict = locator.add(step, records);
    seen = seen || (recorded && verdict.slow);
  });
  CHECK(seen);
}

}  // namespace
}  // namespace a3sim
