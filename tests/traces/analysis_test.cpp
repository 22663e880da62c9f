#include <bitset>
#include <catch2/catch.hpp>
#include <random>

#include "sim/core/error.h"
#include "tests/traces/made_trace.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint32_t kCube = MadeTrace::kCubeOp, kVector = MadeTrace::kVectorOp, kPut = MadeTrace::kPutOp;
constexpr Duration kRun = 300_ps;
constexpr Duration kFirst = kLaunchTime + kTaskTime;

Duration part(const WorkerTimes& times, WorkerTime time) { return part_of(times, time); }

}  // namespace

TEST_CASE("hidden and exposed are the moments in which puts are under way, and cubes run, however many") {
  constexpr std::size_t kMoments = 200;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::bitset<kMoments> puts, cubes;
    MadeTrace made(Way::kStatic, 2);
    const auto draw = [&](std::bitset<kMoments>& moments, auto add) {
      for (unsigned n = random() % 8; n > 0; --n) {
        const unsigned from = random() % kMoments, to = from + random() % (kMoments - from);
        add(Duration(from), Duration(to));
        for (unsigned m = from; m < to; ++m) moments.set(m);
      }
    };
    draw(puts, [&](Duration from, Duration to) { made.put(2, from, from, to, kNone, 1, 0).visible = to; });
    draw(cubes, [&](Duration from, Duration to) { made.task(kCube, 0, from, from, to, kNone, 0); });
    const Overlap overlap = overlaps(made.trace())[0];
    CHECK(overlap.hidden == Duration((puts & cubes).count()));
    CHECK(overlap.exposed == Duration((puts & ~cubes).count()));
  }
}

TEST_CASE("a worker's time is split to the picosecond") {
  MadeTrace made(Way::kStatic, 2);
  // Rank 1: a product of kRun, then one that waits for the put and loses 5 ps to the HBM.
  made.task(kCube, 0, kLaunchTime, kFirst, kFirst + kRun, kNone, 1, 1);
  made.put(2, kLaunchTime, kFirst, kFirst + 2 * kRun, kNone, 1, 0);
  const Duration seen = kFirst + 2 * kRun + kHopTime;
  TraceTask& last = made.task(kCube, 0, kFirst + kRun, seen, seen + kRun, 0, 1, 1);
  last.waited = seen - kFirst - kRun - kTaskTime;
  last.lost[static_cast<std::size_t>(Limit::kHbm)] = 5_ps;
  last.ideal -= 5_ps;
  const Causes causes(made.trace());
  const auto ranks = worker_times(causes);
  const WorkerTimes& aic = ranks[1][0];
  const Duration makespan = made.trace().makespan;
  CHECK(part(aic, WorkerTime::kIdle) == kLaunchTime + makespan);  // the second AIC has no task at all
  CHECK(part(aic, WorkerTime::kRun) == 2 * kRun - 5_ps);
  CHECK(part(aic, WorkerTime::kMemory) == 5_ps);
  CHECK(part(aic, WorkerTime::kScheduling) == 2 * kTaskTime);
  CHECK(part(aic, WorkerTime::kWait) == kRun - kTaskTime + kHopTime);
  CHECK(part(aic, WorkerTime::kPuts) == Duration::zero());
  const WorkerTimes& aiv = ranks[0][1];  // the second AIV has no task either
  CHECK(part(aiv, WorkerTime::kPuts) == 2 * kRun);
  CHECK(part(aiv, WorkerTime::kIdle) == kLaunchTime + (makespan - kFirst - 2 * kRun) + makespan);
}

TEST_CASE("what workers stand at an operator's tasks is the same in its statistics and in their time") {
  MadeTrace made(Way::kStatic);
  // The first task waits too: its worker has taken it.
  made.task(kVector, 2, kLaunchTime, kFirst, kFirst + kRun, kNone, 0);
  const Duration seen = kFirst + kRun + kPollTime;
  made.task(kCube, 0, kLaunchTime, seen, seen + kRun, 0, 1).waited = seen - kFirst;
  made.task(kCube, 0, seen + kRun, seen + kRun + kTaskTime, seen + 2 * kRun, 0, 1).cause = {
      Cause::Kind::kLane, false, 0, 1};
  const Causes causes(made.trace());
  const std::vector<OperatorStats> stats = operator_stats(causes);
  CHECK(stats[kVector].waited == Duration::zero());
  CHECK(stats[kCube].waited == seen - kFirst);
  const WorkerTimes aic = worker_times(causes)[0][0];
  CHECK(part(aic, WorkerTime::kWait) == stats[kCube].waited);
  CHECK(part(aic, WorkerTime::kRun) == stats[kCube].ran);
  CHECK(part(aic, WorkerTime::kScheduling) == 2 * kTaskTime);
  CHECK(part(aic, WorkerTime::kIdle) == kLaunchTime + made.trace().makespan);  // of both AIC
}

TEST_CASE("communication is hidden while cubes run at the rank, at both ends of a put") {
  MadeTrace made(Way::kStatic, 3);
  made.put(2, kLaunchTime, 2000_ps, 3000_ps, kNone, 1, 0);
  made.task(kCube, 0, kLaunchTime, 2500_ps, 2700_ps, kNone, 0, 0);
  made.task(kCube, 0, kLaunchTime, 1900_ps, 5000_ps, kNone, 1, 1);
  made.task(kVector, 2, kLaunchTime, 1900_ps, 5000_ps, kNone, 1, 1);
  const std::vector<Overlap> overlaps = a3sim::overlaps(made.trace());
  CHECK(overlaps[0].hidden == 200_ps);
  CHECK(overlaps[0].exposed == 800_ps + kHopTime);
  CHECK(overlaps[1].hidden == 1000_ps + kHopTime);
  CHECK(overlaps[1].exposed == Duration::zero());
  CHECK(overlaps[2].hidden + overlaps[2].exposed == Duration::zero());
}

TEST_CASE("an operator's roof is its workers' arithmetic, or what the memory allows for its intensity") {
  MadeTrace made(Way::kStatic);
  TraceTask& task = made.task(kCube, 0, kLaunchTime, kFirst, kFirst + 1000_ps, kNone, 0);
  task.operations = 4000;
  task.arithmetic = 500_ps;  // 8 operations a picosecond and worker
  made.trace().operators[kCube].hbm_read = 100;
  Roofline roof = rooflines(made.trace())[kCube];
  CHECK(roof.intensity == Approx(40));
  CHECK(roof.peak == Approx(2 * 8e12));     // two AIC
  CHECK(roof.memory == Approx(40 * 1e12));  // at a terabyte a second
  CHECK(roof.roof() == Approx(16e12));
  CHECK(roof.achieved == Approx(2 * 4e12));

  made.trace().operators[kCube].hbm_written = 300;
  made.trace().machine.hbm_write = 0.5e12;
  roof = rooflines(made.trace())[kCube];
  CHECK(roof.memory == Approx(4000.0 / (100 + 600) * 1e12));
  CHECK(roof.roof() == roof.memory);
  CHECK(roof.achieved == Approx(4e12));  // of the rank, while the task runs
  CHECK_FALSE(roof.l2_bound);
  made.trace().operators[kCube].l2_read = 1000;
  CHECK(rooflines(made.trace())[kCube].l2_bound);
}

TEST_CASE("the roofline is a rank's: twice the ranks with the same work change nothing") {
  Roofline roofs[2];
  for (const std::uint32_t ranks : {1U, 2U}) {
    MadeTrace made(Way::kStatic, ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      TraceTask& task = made.task(kCube, 0, kLaunchTime, kFirst, kFirst + 1000_ps, kNone, 0, r);
      task.operations = 4000;
      task.arithmetic = 500_ps;
    }
    made.trace().operators[kCube].hbm_read = 700 * ranks;
    made.trace().operators[kCube].l2_read = 300 * ranks;
    roofs[ranks - 1] = rooflines(made.trace())[kCube];
  }
  CHECK(roofs[1].operations == 4000);
  CHECK(roofs[1].hbm_bytes == 700);
  CHECK(roofs[1].l2_bytes == 300);
  CHECK(roofs[1].achieved == Approx(roofs[0].achieved));
  CHECK(roofs[1].peak == Approx(roofs[0].peak));
  CHECK(roofs[1].memory == Approx(roofs[0].memory));
}

TEST_CASE("puts reach a part of the port's rate; copies within a rank do not count") {
  MadeTrace made(Way::kStatic, 2);
  made.put(2, kLaunchTime, 2000_ps, 3000_ps, kNone, 1, 0).put_bytes = 500;
  made.put(3, kLaunchTime, 2500_ps, 3000_ps, kNone, 1, 0).put_bytes = 200;
  made.task(kPut, 2, 3000_ps, 3100_ps, 9000_ps, kNone, 0);
  const Roofline roof = rooflines(made.trace())[kPut];
  CHECK(roof.achieved == Approx(0.7e12));
  CHECK(roof.roof() == 1e12);
}

TEST_CASE("a path in few stretches keeps its length, its tasks and its blame") {
  CriticalPath path;
  Duration time{};
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < 500; ++i) {
    PathSegment step{.from = time,
                     .to = time + Duration(1 + random() % 50),
                     .op = static_cast<std::uint32_t>(random() % 3),
                     .ran = i % 2 == 0};
    at(step.blame, static_cast<Blame>(random() % kBlames)) = step.to - step.from;
    time = step.to;
    path.segments.push_back(step);
  }
  for (const std::size_t most : {1U, 2U, 20U, 1000U}) {
    const std::vector<PathStretch> stretches = summarise(path, most);
    CHECK(stretches.size() <= most);
    Duration until{}, blamed{};
    std::uint32_t tasks = 0;
    for (const PathStretch& stretch : stretches) {
      CHECK(stretch.from == until);
      until = stretch.to;
      tasks += stretch.tasks;
      blamed += sum_of(stretch.blame);
    }
    CHECK(until == time);
    CHECK(blamed == time);
    CHECK(tasks == 250);
  }
  CHECK(summarise({}, 20).empty());
}

TEST_CASE("two operators that take turns become one stretch") {
  CriticalPath path;
  for (std::uint32_t i = 0; i < 30; ++i)
    path.segments.push_back({.from = Duration(i), .to = Duration(i + 1), .op = i % 2});
  const std::vector<PathStretch> stretches = summarise(path, 20);
  REQUIRE(stretches.size() <= 2);
  CHECK(stretches[0].ops == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE(
    "the blame of one run less that of another sums to the difference, also of operators that one lacks") {
  MadeTrace a(Way::kStatic), b(Way::kStatic);
  a.task(kCube, 0, kLaunchTime, kFirst, kFirst + 2 * kRun, kNone, 0);
  b.task(kVector, 2, kLaunchTime, kFirst, kFirst + kRun, kNone, 0);
  b.trace().operators[kVector].name = "other";
  const OperatorBlame difference = blame_difference(a.trace(), a.path(), b.trace(), b.path());
  CHECK(difference.operators == std::vector<std::string>{"cube", "vector", "put", "other"});
  CHECK(sum_of(difference.blame[0]) == a.trace().makespan);
  CHECK(sum_of(difference.blame[3]) == -b.trace().makespan);
}

TEST_CASE(
    "A stream's kernel without arithmetic is known only by its time; the rest of one with some is the core's "
    "own") {
  Trace trace;
  trace.machine.streams = true;
  trace.operators = {{.name = "GMM1", .unit = TaskUnit::kCube, .stage = 0, .left_by = {}}};
  TraceTask task;
  task.end = 100_ps;
  task.hold = 10_ps;
  const auto spent = [&](Blame blame) {
    BlameTimes times{};
    add_run(trace, task, task.end, times);
    return at(times, blame);
  };
  CHECK(spent(Blame::kLaunch) == 10_ps);
  CHECK(spent(Blame::kUnknown) == 90_ps);
  CHECK(spent(Blame::kCube) == 0_ps);
  task.arithmetic = 60_ps;
  CHECK(spent(Blame::kCube) == 60_ps);
  CHECK(spent(Blame::kCore) == 30_ps);
  CHECK(spent(Blame::kUnknown) == 0_ps);
  task.arithmetic = 0_ps;
  task.lost[static_cast<std::size_t>(Limit::kMiss)] = 20_ps;
  CHECK(spent(Blame::kMiss) == 20_ps);
  CHECK(spent(Blame::kCore) == 70_ps);
  task.lost = {};
  trace.machine.streams = false;
  CHECK(spent(Blame::kCore) == 90_ps);  // a tile's own loads
}
