#include <catch2/catch.hpp>

#include "sim/runtime/run.h"
#include "tests/runtime/small_machine.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint32_t kFirst = 0, kSecond = 1;  // events

RunResult run(VectorSchedule built, const std::string& execution, Hardware hardware = small_machine(),
              std::uint32_t servers = 1, ReadyOrder ready = ReadyOrder::kQueue,
              const Program& program = small_program()) {
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  RunOptions options;
  options.record = true;
  options.execution = execution;
  options.dispatch_servers = servers;
  options.ready = ready;
  return run_schedule(built.schedule(), RoutingCounts(1, 0), hardware, program, native, options);
}

VectorSchedule free_tasks(std::uint32_t workers, std::uint32_t tasks, std::uint32_t rows) {
  VectorSchedule built(workers);
  built.event(tasks, true);
  for (std::uint32_t t = 0; t < tasks; ++t) built.task(rows, kNone, kFirst);
  return built;
}

Duration started(const RunResult& result, std::size_t task) {
  return result.ranks[0].records[task].start.time_since_epoch();
}

}  // namespace

TEST_CASE("the dynamic scheduler hands out a task after the other, in the queue's order") {
  const RunResult result = run(free_tasks(4, 4, 1), "dynamic");
  for (std::uint32_t t = 0; t < 4; ++t) CHECK(started(result, t) == (t + 1) * kDispatch);
  CHECK(result.makespan == 4 * kDispatch + kRowTime);
}

TEST_CASE("several servers hand out as many tasks at a time") {
  const RunResult result = run(free_tasks(4, 4, 1), "dynamic", small_machine(), 2);
  CHECK(started(result, 0) == kDispatch);
  CHECK(started(result, 1) == kDispatch);
  CHECK(result.makespan == 2 * kDispatch + kRowTime);
}

TEST_CASE("of the free workers the one with the smallest number gets the next task") {
  VectorSchedule built(4);
  built.event(4, true);
  for (const std::uint32_t rows : {50U, 1U, 1U, 1U}) built.task(rows, kNone, kFirst);
  const RunResult result = run(built, "dynamic");
  // When the last one is handed out, worker 1 has ended its task, 2 has just got one, and 3 had none yet.
  REQUIRE(2 * kDispatch + kRowTime < 3 * kDispatch);
  const std::uint32_t expected[] = {0, 1, 2, 1};
  for (std::uint32_t t = 0; t < 4; ++t) CHECK(result.ranks[0].records[t].worker == expected[t]);
}

TEST_CASE("under dynamic execution nothing is handed out before a worker is free") {
  const RunResult result = run(free_tasks(1, 2, 5), "dynamic");
  CHECK(result.makespan == 2 * (kDispatch + 5 * kRowTime));
}

TEST_CASE(
    "under dynamic execution a task that waits holds no worker, and is handed out once its event is seen") {
  VectorSchedule built(1);
  built.event(1).event(2, true);
  // The second in the queue waits for the third.
  built.task(1, kNone, kSecond).task(1, kFirst, kSecond).task(2, kNone, kFirst);
  const RunResult result = run(built, "dynamic");
  const Duration third = kDispatch + kRowTime + kDispatch;
  CHECK(started(result, 2) == third);
  CHECK(started(result, 1) == third + 2 * kRowTime + kVisible + kDispatch);
}

TEST_CASE("a dynamic scheduler hands out what stands first in the queue, or what became ready first") {
  VectorSchedule built(1);
  built.event(1).event(4, true);
  // The second becomes ready while the third runs.
  built.task(1, kNone, kFirst).task(1, kFirst, kSecond).task(5, kNone, kSecond).task(1, kNone, kSecond);
  const auto order = [&](ReadyOrder ready) {
    const RunResult result = run(built, "dynamic", small_machine(), 1, ready);
    std::vector<std::uint32_t> tasks{0, 1, 2, 3};
    std::ranges::sort(tasks, {}, [&](std::uint32_t task) { return started(result, task); });
    return tasks;
  };
  REQUIRE(kVisible < kDispatch + 5 * kRowTime);
  CHECK(order(ReadyOrder::kQueue) == std::vector<std::uint32_t>{0, 2, 1, 3});
  CHECK(order(ReadyOrder::kFifo) == std::vector<std::uint32_t>{0, 2, 3, 1});
}

TEST_CASE("a dynamic deadlock names what was not handed out") {
  VectorSchedule built(2);
  built.event(2).event(2, true).task(1, kNone, kFirst).task(1, kFirst, kSecond);
  try {
    run(built, "dynamic");
    FAIL("the schedule cannot end");
  } catch (const RunError& error) {
    CHECK_THAT(error.what(), Contains("rank 0: task 1 (Add 1) waits for event 0: 1 of 2"));
  }
}

TEST_CASE("kernels follow each other, each after its launch, whatever the events say") {
  constexpr Duration kLaunch = 10_us, kQueued = 4_us;
  Program program = small_program();
  program.launch.alone = kLaunch;
  program.launch.queued = kQueued;
  VectorSchedule built(2);
  built.event(3).event(2, true);
  for (int t = 0; t < 3; ++t) built.task(1, kNone, kFirst);  // two workers: the first has two of them
  for (int t = 0; t < 2; ++t) built.task(2, kFirst, kSecond);
  built.parts().operators.push_back(built.parts().operators[0]);
  built.parts().operators[1].stage = 1;
  built.parts().tasks[3].op = built.parts().tasks[4].op = 1;
  const RunResult result = run(built, "kernel", small_machine(), 1, ReadyOrder::kQueue, program);
  CHECK(started(result, 0) == kLaunch);
  CHECK(started(result, 2) == kLaunch + kRowTime);
  CHECK(started(result, 3) == kLaunch + 2 * kRowTime + kQueued);
  CHECK(result.makespan == kLaunch + 2 * kRowTime + kQueued + 2 * kRowTime);
}

TEST_CASE("a static schedule begins when its kernel has been launched") {
  Program program = small_program();
  program.launch.alone = 7_us;
  const RunResult result =
      run(free_tasks(1, 1, 1), "static", small_machine(), 1, ReadyOrder::kQueue, program);
  CHECK(result.makespan == 7_us + kOverhead + kRowTime);
}
