#include "sim/runtime/run.h"

#include <catch2/catch.hpp>

#include "tests/runtime/small_machine.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint32_t kFirstRank = 0, kSecondRank = 1;  // events

RunResult run(VectorSchedule built) {
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  return run_schedule(built.schedule(), RoutingCounts(1, 0), small_machine(), small_program(), native,
                      {.record = true});
}

Duration started_at(const RunResult& result, std::size_t task) {
  return result.ranks[0].records[task].start.time_since_epoch();
}
Duration ended(const RunResult& result, std::size_t task) {
  return result.ranks[0].records[task].end.time_since_epoch();
}

}  // namespace

TEST_CASE("a task runs after its fetch and first check, for its ideal time") {
  const RunResult result = run(VectorSchedule(1).event(1, true).task(3, kNone, kFirstRank));
  CHECK(started_at(result, 0) == kOverhead);
  CHECK(ended(result, 0) == kOverhead + 3 * kRowTime);
  CHECK(result.makespan == kOverhead + 3 * kRowTime);
}

TEST_CASE("a worker takes its next task when the last has ended") {
  const RunResult result =
      run(VectorSchedule(1).event(2, true).task(1, kNone, kFirstRank).task(1, kNone, kFirstRank));
  CHECK(ended(result, 1) == 2 * (kOverhead + kRowTime));
}

TEST_CASE("a waiting worker runs as soon as it sees the trigger, its own fetch being over") {
  const RunResult result = run(
      VectorSchedule(2).event(1).event(1, true).task(1, kNone, kFirstRank).task(1, kFirstRank, kSecondRank));
  CHECK(started_at(result, 1) == kOverhead + kRowTime + kVisible);
}

TEST_CASE("an event fires at its threshold and not before") {
  const RunResult result = run(VectorSchedule(3)
                                   .event(2)
                                   .event(1, true)
                                   .task(1, kNone, kFirstRank)
                                   .task(5, kNone, kFirstRank)
                                   .task(1, kFirstRank, kSecondRank));
  CHECK(started_at(result, 2) == kOverhead + 5 * kRowTime + kVisible);
}

TEST_CASE("a worker that waits holds its place: what stands behind it in its list waits too") {
  // Two workers, cyclic: tasks 0 and 2 are the first's, 1 and 3 the second's. Task 3 depends on nothing.
  const RunResult result = run(VectorSchedule(2)
                                   .event(1)
                                   .event(3, true)
                                   .task(4, kNone, kFirstRank)
                                   .task(1, kFirstRank, kSecondRank)
                                   .task(1, kNone, kSecondRank)
                                   .task(1, kNone, kSecondRank));
  CHECK(started_at(result, 1) == kOverhead + 4 * kRowTime + kVisible);
  CHECK(started_at(result, 3) == ended(result, 1) + kOverhead);
}

TEST_CASE("under shared assignment a free worker takes what a waiting one does not hold") {
  VectorSchedule built(2);
  built.event(1).event(3, true);
  built.task(4, kNone, kFirstRank)
      .task(1, kFirstRank, kSecondRank)
      .task(1, kNone, kSecondRank)
      .task(1, kNone, kSecondRank);
  built.parts().assignment = Assignment::kShared;
  const RunResult result = run(built);
  CHECK(result.ranks[0].records[2].worker == 0);
  CHECK(started_at(result, 2) == ended(result, 0) + kOverhead);
}

TEST_CASE("a worker set confines its tasks to its workers") {
  VectorSchedule built(4);
  built.event(3, true).task(1, kNone, kFirstRank).task(1, kNone, kFirstRank).task(1, kNone, kFirstRank);
  built.parts().worker_sets.push_back({1, 3, 1});
  for (TaskDescriptor& td : built.parts().tasks) td.worker_set = 1;
  const RunResult result = run(built);
  for (const TaskRecord& record : result.ranks[0].records) CHECK(record.worker == 3);
  CHECK(result.makespan == 3 * (kOverhead + kRowTime));
}

TEST_CASE("memory that is short slows tasks down, and the loss is the resource's to the picosecond") {
  Hardware hardware = small_machine();
  hardware.memory.hbm_read = {64'000'000'000};  // exactly one worker's reading
  VectorSchedule built(2);
  built.event(2, true).task(1, kNone, kFirstRank).task(1, kNone, kFirstRank);
  const RunResult result = run_schedule(built.schedule(), RoutingCounts(1, 0), hardware, small_program(),
                                        Registry<NetworkBackend>::get("native"), {.record = true});
  for (const TaskRecord& record : result.ranks[0].records) {
    CHECK(record.end - record.start == 2 * kRowTime);
    CHECK(record.ideal == kRowTime);
    CHECK(record.lost[static_cast<std::size_t>(Limit::kHbm)] == kRowTime);
  }
}

TEST_CASE("when nothing can go on, every blocked worker is named with its task, event, count and threshold") {
  VectorSchedule built(2);
  built.event(2).event(2, true).task(1, kNone, kFirstRank).task(1, kFirstRank, kSecondRank);
  try {
    run(built);
    FAIL("the schedule cannot end");
  } catch (const RunError& error) {
    CHECK_THAT(error.what(), Contains("deadlock"));
    CHECK_THAT(error.what(), Contains("rank 0 AIV 1: task 1 (Add 1) waits for event 0: 1 of 2"));
  }
}

TEST_CASE("a schedule for more workers than the hardware has is refused") {
  VectorSchedule built(5);
  built.event(1, true).task(1, kNone, kFirstRank);
  CHECK_THROWS_AS(run(built), InputError);
}

TEST_CASE("two runs give the same times and the same number of events") {
  VectorSchedule built(3);
  built.event(40, true);
  for (std::uint32_t t = 0; t < 40; ++t) built.task(1 + t % 7, kNone, kFirstRank);
  const RunResult first = run(built), second = run(built);
  CHECK(first.makespan == second.makespan);
  CHECK(first.events == second.events);
}
