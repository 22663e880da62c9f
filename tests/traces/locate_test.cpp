#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sim/diagnosis/locate/episodes.h"
#include "sim/diagnosis/locate/group_walk.h"
#include "tests/traces/made_observation.h"

namespace a3sim {
namespace {

using Own = MadeObservation::Own;

// The same as StepHistory, step after step from all that is known: the oracle.
double plain_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[values.size() / 2]
                                : (values[values.size() / 2 - 1] + values[values.size() / 2]) / 2;
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
    for (const double value : last) apart.push_back(std::abs(value - median));
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

TEST_CASE("without a step without faults, the first step does not tell what is usual") {
  // All ranks wait 4 ms in every step; before the first one nobody saw it.
  MadeObservation job(4, 20, [](std::uint32_t, std::uint32_t) {
    Own own;
    own.delay = 4;
    return own;
  });
  job.has_reference = false;
  const Located located = locate(job, LocateLimits());
  CHECK(located.episodes.empty());
  CHECK(located.usual == Approx(14e9));
  CHECK(located.healthy[2][Measure::kDelay] == Approx(4e9));
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

TEST_CASE(
    "a rank that is late for another reason than was recorded is recorded again, though steps take as long") {
  Locator locator(LocateLimits(), 4, {});
  const MadeObservation job(4, 60, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (rank != 3 || step < 20) return own;
    if (step < 30)
      own.work = 12;  // its own work
    else if (step < 40)
      own.delay = 2, own.fill = {0, 100, 100};  // no batch
    else
      own.delay = 2;  // its host
    return own;
  });
  std::vector<std::uint32_t> recorded;
  job.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    if (!locator.wanted().empty()) recorded.push_back(step);
    locator.add(step, records);
  });
  CHECK(recorded == std::vector<std::uint32_t>{21, 22, 23, 31, 32, 33, 41, 42, 43});
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

// A job whose ranks meet in pairs, 0 with 1 and 2 with 3, and then all: steps of two passes. `own`: ms of a rank in a pass;
// `wait`: of that, for whom in the same pass.
struct Paired {
  double own = 0, waited = 0;
  std::uint32_t whom = kNone;
};
template <class Own>
std::vector<StepVerdict> verdicts_of_pairs(std::uint32_t steps, const Own& own) {
  Locator locator(LocateLimits(), 4, {});
  std::vector<StepVerdict> verdicts;
  std::array<Duration, 4> free{};
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::vector<LightRecord> records;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      for (std::uint16_t pass = 0; pass < 2; ++pass) {
        LightRecord& record = records.emplace_back();
        record.step = step;
        record.rank = rank;
        record.pass = pass;
        record.group = static_cast<std::uint16_t>(pass == 0 ? rank / 2 : 2);
      }
    }
    for (std::uint16_t pass = 0; pass < 2; ++pass) {
      std::array<Duration, 3> release{};
      for (LightRecord& record : records) {
        if (record.pass != pass) continue;
        const Paired paired = own(step, record.rank, pass);
        record.start = free[record.rank];
        record.arrival = record.start + made_ms(paired.own + paired.waited);
        record.waited = record.longest = made_ms(paired.waited);
        record.whom = paired.whom;
        release[record.group] = std::max(release[record.group], record.arrival);
      }
      for (LightRecord& record : records)
        if (record.pass == pass) free[record.rank] = record.release = release[record.group];
    }
    verdicts.push_back(locator.add(step, records));
  }
  return verdicts;
}

TEST_CASE("who is late in a group that nobody waits for is no suspect") {
  // Rank 0's pair is through at 7 ms; that of rank 3, usually at 10, at 11.
  const auto verdicts = verdicts_of_pairs(50, [](std::uint32_t step, std::uint32_t rank, std::uint16_t pass) {
    if (pass == 1) return Paired{5};
    const bool slow = step >= 40;
    return Paired{rank < 2 ? (slow && rank == 0 ? 7.0 : 5.0) : (slow && rank == 3 ? 11.0 : 10.0)};
  });
  CHECK_FALSE(verdicts[39].slow);
  REQUIRE(verdicts[45].slow);
  CHECK(verdicts[45].suspects == std::vector<std::uint32_t>{3});
}

TEST_CASE("who comes last because it waited for a peer is none; who is waited for in the other group is") {
  // Rank 1 arrives late, as it waits for rows of rank 2, which has more to do; its own pair does not hold it up.
  const auto verdicts = verdicts_of_pairs(50, [](std::uint32_t step, std::uint32_t rank, std::uint16_t pass) {
    Paired paired{pass == 0 ? 5.0 : 10.0};
    if (pass == 1 && step >= 40) {
      if (rank == 2) paired.own = 12;
      if (rank == 1) paired.waited = 2.5, paired.whom = 2;
    }
    return paired;
  });
  REQUIRE(verdicts[45].slow);
  CHECK(verdicts[45].suspects == std::vector<std::uint32_t>{2});
}

TEST_CASE("the walk over groups ends at who waited for nobody, and never goes in circles") {
  std::vector<LightRecord> records(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    records[rank].rank = rank;
    records[rank].arrival = records[rank].release = made_ms(10 - rank);
    records[rank].group = static_cast<std::uint16_t>(rank);
  }
  CHECK(waited_for(records, made_ms(1)) == std::vector<std::size_t>{0});
  records[0].whom = 1;
  records[1].whom = 2;
  records[0].longest = records[1].longest = made_ms(2);
  CHECK(waited_for(records, made_ms(1)) == std::vector<std::size_t>{0, 1, 2});
  records[2].whom = 0;
  records[2].longest = made_ms(2);
  CHECK(waited_for(records, made_ms(1)) == std::vector<std::size_t>{0, 1, 2});
  CHECK(waited_for(records, made_ms(2)) == std::vector<std::size_t>{0});
  CHECK(waited_for({}, made_ms(1)).empty());
}

}  // namespace
}  // namespace a3sim
