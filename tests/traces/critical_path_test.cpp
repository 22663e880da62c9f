#include "traces/analysis/critical_path.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/traces/made_trace.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint32_t kPathCube = MadeTrace::kCubeOp, kPathVector = MadeTrace::kVectorOp,
                        kPathPut = MadeTrace::kPutOp;
constexpr Duration kPathRun = 300_ps;
constexpr Duration kFirstStart =
    kLaunchTime + kTaskTime;  // when a first task starts under the static schedule

}  // namespace

TEST_CASE("a worker's tasks one after the other are the path, with what each costs to take") {
  MadeTrace made(Way::kStatic);
  made.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0);
  made.task(kPathVector, 2, kLaunchTime, kFirstStart, kFirstStart + 5_ps, kNone,
            0);  // ends early: on no path
  const Duration second = kFirstStart + kPathRun + kTaskTime;
  made.task(kPathCube, 0, kFirstStart + kPathRun, second, second + kPathRun, kNone, 0);
  const CriticalPath path = made.path();
  CHECK(of(path, kPathCube, Blame::kLaunch) == kLaunchTime);
  CHECK(of(path, kPathCube, Blame::kScheduling) == 2 * kTaskTime);
  CHECK(of(path, kPathCube, Blame::kCore) == 2 * kPathRun);
  CHECK(sum_of(path.blame[kPathVector]) == Duration::zero());
  CHECK(sum_of(path.blame[kPathCube]) == made.trace().makespan);
}

TEST_CASE("a task that was seen complete after its worker had checked is held up by its producer") {
  for (const Duration late : {0_ps, 1_ps}) {
    MadeTrace made(Way::kStatic);
    // The second worker's first task ends so that it has checked its second when the trigger is seen, or one
    // picosecond before.
    const Duration end = kFirstStart + kPathRun, seen = end + kPollTime, checked = seen - late;
    made.task(kPathCube, 0, kLaunchTime, kFirstStart, end, kNone, 0);
    made.task(kPathVector, 2, kLaunchTime, kFirstStart, checked - kTaskTime, kNone, 1);
    const bool held = late > Duration::zero();
    TraceTask& task = made.task(kPathVector, 2, checked - kTaskTime, seen, seen + kPathRun, 0, 1);
    if (!held) task.cause = {Cause::Kind::kLane, false, 0, 1};
    const CriticalPath path = made.path();
    CHECK(of(path, kPathVector, Blame::kPoll) == (held ? kPollTime : Duration::zero()));
    CHECK(of(path, kPathCube, Blame::kCore) == (held ? kPathRun : Duration::zero()));
    CHECK(of(path, Blame::kScheduling) == (held ? kTaskTime : 2 * kTaskTime));
  }
}

TEST_CASE("the last of several producers is the one to blame, on whatever rank") {
  MadeTrace made(Way::kStatic, 2);
  made.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0, 1);
  made.put(2, kLaunchTime, kFirstStart, kFirstStart + 2 * kPathRun, kNone, 1, 0);
  const Duration seen = kFirstStart + 2 * kPathRun + kHopTime;
  made.task(kPathCube, 1, kLaunchTime, seen, seen + kPathRun, 0, 1, 1);
  const CriticalPath path = made.path();
  CHECK(of(path, kPathPut, Blame::kPut) == 2 * kPathRun);
  CHECK(of(path, kPathPut, Blame::kHop) == kHopTime);
  CHECK(of(path, kPathCube, Blame::kCore) == kPathRun);
  CHECK(of(path, kPathPut, Blame::kLaunch) == kLaunchTime);
  REQUIRE(path.segments.size() == 5);
  CHECK(path.segments[2].task == TaskAt{0, 0});
  CHECK(path.segments[4].task == TaskAt{1, 1});
}

TEST_CASE("a run that ends with a put ends when its destination sees it") {
  MadeTrace made(Way::kStatic, 2);
  made.put(2, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 1, 0);
  const CriticalPath path = made.path();
  CHECK(of(path, kPathPut, Blame::kHop) == kHopTime);
  CHECK(made.trace().makespan == kFirstStart + kPathRun + kHopTime);
}

TEST_CASE("what a task lost is the resource's, its arithmetic the unit's, and the rest the core's") {
  MadeTrace made(Way::kStatic);
  TraceTask& task = made.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0);
  task.lost = {1_ps, 2_ps, 3_ps, 0_ps, 5_ps};
  task.ideal -= 11_ps;
  task.arithmetic = 100_ps;
  const CriticalPath path = made.path();
  CHECK(of(path, kPathCube, Blame::kL2Read) == 1_ps);
  CHECK(of(path, kPathCube, Blame::kL2Write) == 2_ps);
  CHECK(of(path, kPathCube, Blame::kHbm) == 3_ps);
  CHECK(of(path, kPathCube, Blame::kMiss) == 5_ps);
  CHECK(of(path, kPathCube, Blame::kCube) == 100_ps);
  CHECK(of(path, kPathCube, Blame::kCore) == kPathRun - 111_ps);
}

TEST_CASE("ready tasks that queue for one scheduler are a chain of its work") {
  constexpr Duration kHand = 60_ps;
  MadeTrace made(Way::kDynamic);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Duration taken = kLaunchTime + i * kHand;
    TraceTask& task = made.task(kPathCube, i, taken, taken + kHand, taken + kHand + 5_ps, kNone, 0);
    if (i > 0) task.cause = {Cause::Kind::kScheduler, false, 0, i - 1};
  }
  const CriticalPath path = made.path();
  CHECK(of(path, Blame::kLaunch) == kLaunchTime);
  CHECK(of(path, Blame::kScheduling) == 3 * kHand);
  CHECK(of(path, Blame::kCore) == 5_ps);
}

TEST_CASE(
    "a task that was handed out as soon as its event was seen, or its worker free, is held up by that") {
  constexpr Duration kHand = 60_ps;
  const Duration end = kLaunchTime + kHand + kPathRun;
  for (const bool by_event : {true, false}) {
    MadeTrace made(Way::kDynamic);
    made.task(kPathCube, 0, kLaunchTime, kLaunchTime + kHand, end, kNone, 0);
    const Duration taken = by_event ? end + kPollTime : end;
    made.task(kPathVector, by_event ? 2 : 0, taken, taken + kHand, taken + kHand + kPathRun,
              by_event ? 0 : kNone, 1);
    const CriticalPath path = made.path();
    CHECK(of(path, kPathVector, Blame::kPoll) == (by_event ? kPollTime : Duration::zero()));
    CHECK(of(path, Blame::kScheduling) == 2 * kHand);
    CHECK(of(path, Blame::kCore) == 2 * kPathRun);
  }
}

TEST_CASE("kernels follow their launches, collectives the meeting of all ranks and the host's work") {
  MadeTrace made(Way::kKernel, 2);
  // Rank 1's product takes longer.
  const Duration end[2] = {kLaunchTime + kPathRun, kLaunchTime + 2 * kPathRun};
  Cause came;
  for (std::uint32_t r = 0; r < 2; ++r) {
    const Cause first = made.host(Blame::kLaunch, kPathCube, 0_ps, kLaunchTime, {}, r);
    made.task(kPathCube, 0, kLaunchTime, kLaunchTime, end[r], kNone, 0, r).cause = first;
    came = made.host(Blame::kLaunch, kPathPut, end[r], end[r] + kLaunchTime,
                     {Cause::Kind::kKernel, false, r, 0}, r);
  }
  came.kind = Cause::Kind::kMeeting;
  const Duration met = end[1] + kLaunchTime, put = met + kHostTime;
  for (std::uint32_t r = 0; r < 2; ++r) {
    const Cause dealt = made.host(Blame::kCollective, kPathPut, met, put, came, r);
    made.put(2, put, put, put + kPathRun, kNone, 1 - r, 0, r).cause = dealt;
  }
  const CriticalPath path = made.path();
  CHECK(of(path, Blame::kLaunch) == 2 * kLaunchTime);
  CHECK(of(path, kPathPut, Blame::kCollective) == kHostTime);
  CHECK(of(path, kPathCube, Blame::kCore) == 2 * kPathRun);
  CHECK(of(path, kPathPut, Blame::kPut) == kPathRun);
  CHECK(of(path, kPathPut, Blame::kHop) == kHopTime);
  CHECK(of(path, Blame::kScheduling) == Duration::zero());
}

TEST_CASE("the kernel behind a meeting waits for the slowest rank, the hop and its launch") {
  MadeTrace made(Way::kKernel, 2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const Cause first = made.host(Blame::kLaunch, kPathPut, 0_ps, kLaunchTime, {}, r);
    made.put(2, kLaunchTime, kLaunchTime, kLaunchTime + (r + 1) * kPathRun, kNone, 1 - r, 0, r).cause = first;
  }
  const Duration met = kLaunchTime + 2 * kPathRun, launched = met + kHopTime + kLaunchTime;
  const Cause heard =
      made.host(Blame::kHop, kPathPut, met, met + kHopTime, {Cause::Kind::kMeeting, false, 1, 0});
  const Cause dealt = made.host(Blame::kLaunch, kPathCube, met + kHopTime, launched, heard);
  made.task(kPathCube, 0, launched, launched, launched + kPathRun, kNone, 0).cause = dealt;
  const CriticalPath path = made.path();
  CHECK(of(path, kPathPut, Blame::kPut) == 2 * kPathRun);
  CHECK(of(path, Blame::kHop) == kHopTime);
  CHECK(of(path, Blame::kLaunch) == 2 * kLaunchTime);
  CHECK(path.segments[1].task == TaskAt{1, 0});
}

TEST_CASE("a cause that cannot be is refused, whatever is changed of it") {
  const auto made = [] {
    MadeTrace made(Way::kStatic);
    made.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0);
    made.task(kPathCube, 0, kFirstStart + kPathRun, kFirstStart + kPathRun, kFirstStart + 2 * kPathRun, kNone,
              1);
    const Duration seen = kFirstStart + kPathRun + kPollTime;
    made.task(kPathVector, 2, kLaunchTime, seen, seen + kPathRun, 0, 2);
    return made;
  };
  CHECK_NOTHROW(made().path());
  using Kind = Cause::Kind;
  const std::pair<std::uint32_t, Cause> changes[] = {
      {1, {Kind::kLane, false, 0, 2}},      {1, {Kind::kLane, false, 0, 1}},
      {1, {Kind::kLane, true, 0, 0}},       {1, {}},
      {1, {Kind::kEvent, false, 0, 0}},     {1, {Kind::kLane, false, 0, 7}},
      {1, {Kind::kMeeting, false, 0, 0}},   {2, {Kind::kEvent, false, 0, 1}},
      {2, {Kind::kEvent, false, 1, 0}},     {2, {Kind::kLane, false, 0, 0}},
      {2, {Kind::kHost, true, 0, 0}},       {2, {Kind::kDependency, false, 0, 1}},
      {2, {Kind::kScheduler, false, 0, 2}}, {0, {Kind::kWorkers, false, 0, 1}}};
  for (const auto& [task, cause] : changes) {
    MadeTrace changed = made();
    changed.trace().ranks[0][task].cause = cause;
    INFO(task << " " << name_of(cause.kind) << " " << cause.number);
    CHECK_THROWS_WITH(changed.path(), Contains("cause"));
  }
}

TEST_CASE("tasks that contradict each other are refused") {
  const auto refused = [](MadeTrace& made, const char* why) {
    CHECK_THROWS_WITH(made.path(), Contains(why));
  };
  MadeTrace makespan(Way::kStatic);
  makespan.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0);
  makespan.trace().makespan += 1_ps;
  refused(makespan, "but the latency is");

  MadeTrace together(Way::kStatic);
  together.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0);
  together.task(kPathCube, 0, kFirstStart + kPathRun - 1_ps, kFirstStart + kPathRun,
                kFirstStart + 2 * kPathRun, kNone, 0);
  refused(together, "at the same time");

  MadeTrace early(Way::kStatic);
  early.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, kNone, 0);
  early.task(kPathVector, 2, kLaunchTime, kFirstStart + kPathRun, kFirstStart + 2 * kPathRun, 0, 1);
  refused(early, "before task 0 of rank 0 triggers event 0");

  MadeTrace nobody(Way::kStatic);
  nobody.task(kPathCube, 0, kLaunchTime, kFirstStart, kFirstStart + kPathRun, 3, 0);
  refused(nobody, "which no task triggers");

  MadeTrace kernel(Way::kKernel);
  const Cause launch = kernel.host(Blame::kLaunch, kPathVector, 0_ps, kLaunchTime + 1_ps, {});
  kernel.task(kPathVector, 2, kLaunchTime, kLaunchTime, kFirstStart + kPathRun, kNone, 0).cause = launch;
  refused(kernel, "named as its cause (host)");

  refused(*std::make_unique<MadeTrace>(Way::kStatic), "the last task completes");
}
