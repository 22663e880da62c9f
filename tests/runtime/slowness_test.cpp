#include <catch2/catch.hpp>

#include "sim/runtime/run.h"
#include "tests/runtime/small_machine.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kDone = 0;  // the event
constexpr std::uint32_t kSlowRows = 3;

// Task 0 takes `slowness` times as long; the others as modelled.
class FirstIsSlow final : public TaskHooks {
 public:
  explicit FirstIsSlow(double slowness) : slowness_(slowness) {}
  double slowness(RankId, std::uint32_t task) override {
    ++asked_;
    return task == 0 ? slowness_ : 1;
  }
  int asked() const { return asked_; }

 private:
  double slowness_;
  int asked_ = 0;
};

RunResult run(Hardware hardware, std::uint32_t tasks, TaskHooks* hooks) {
  VectorSchedule built(tasks);
  built.event(tasks, true);
  for (std::uint32_t t = 0; t < tasks; ++t) built.task(kSlowRows, kNone, kDone);
  RunOptions options;
  options.record = true;
  options.hooks = hooks;
  return run_schedule(built.schedule(), RoutingCounts(1, 0), hardware, small_program(),
                      Registry<NetworkBackend>::get("native"), options);
}

Duration ran(const RunResult& result, std::size_t task) {
  const TaskRecord& record = result.ranks[0].records[task];
  return record.end - record.start;
}

}  // namespace

TEST_CASE("a slow task takes as much longer as it is said, its neighbours do not, and each is asked once") {
  for (const double slowness : {2.0, 1.0, 0.5}) {
    FirstIsSlow hooks(slowness);
    const RunResult result = run(small_machine(), 2, &hooks);
    const Duration slow(
        static_cast<std::int64_t>(slowness * static_cast<double>((kSlowRows * kRowTime).count())));
    CHECK(ran(result, 0) == slow);
    CHECK(result.ranks[0].records[0].ideal == slow);
    CHECK(ran(result, 1) == kSlowRows * kRowTime);
    CHECK(hooks.asked() == 2);
  }
}

TEST_CASE("what memory shares out is no slower for a slow task, and no faster for its neighbour") {
  constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
  Hardware hardware = small_machine();
  // Two tasks read a row each in kRowTime; the HBM has half of what they ask for.
  hardware.memory.hbm_read = {kRowBytes * (kPicosecondsPerSecond / kRowTime.count())};
  CHECK(ran(run(hardware, 2, nullptr), 0) == 2 * kSlowRows * kRowTime);
  FirstIsSlow hooks(2);
  const RunResult result = run(hardware, 2, &hooks);
  CHECK(ran(result, 0) == 2 * kSlowRows * kRowTime);  // half its pace is all that it can use
  CHECK(ran(result, 1) == 2 * kSlowRows * kRowTime);
}
