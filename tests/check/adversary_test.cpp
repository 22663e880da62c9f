#include "sim/check/adversary.h"

#include <catch2/catch.hpp>

#include "scheduler/compile/event_consumers.h"
#include "scheduler/ssc/taskflow_view.h"
#include "tests/check/small.h"
#include "tests/few.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// Events of a pass that somebody waits for, and those for which no removed wait gave a wrong result.
struct Sweep {
  std::size_t events = 0;
  std::vector<std::string> silent;
};

Sweep remove_waits(const DataCheck& check, const DataCheck::Pass& pass) {
  Sweep sweep;
  for (std::uint32_t rank = 0; rank < pass.schedule.size(); ++rank) {
    const Ssc& ssc = pass.schedule[rank];
    const EventConsumers consumers(ssc.tasks(), ssc.events().size());
    for (std::uint32_t event = 0; event < ssc.events().size(); ++event) {
      if (consumers.waiting(event).empty()) continue;
      ++sweep.events;
      bool shown = false;
      for (const std::uint32_t task : consumers.waiting(event)) {
        const auto exposed = expose(check, pass, {rank, task});
        if (!exposed) continue;
        shown = true;
        CHECK(right(exposed->waiting));
        break;
      }
      if (!shown)
        sweep.silent.push_back(TaskflowView(pass.schedule).task_name(rank, consumers.waiting(event)[0]));
    }
  }
  return sweep;
}

TaskPlace first_of(const DataCheck::Pass& pass, const std::string& op) {
  const std::span<const TaskDescriptor> tasks = pass.schedule[0].tasks();
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    if (pass.schedule[0].operators()[tasks[task].op].name == op) return {0, task};
  }
  throw std::logic_error("no task of " + op);
}

}  // namespace

TEST_CASE("whichever tasks are late, the result is right") {
  const char* ep = GENERATE("parallel.ep=1", "parallel.ep=2");
  CHECK(wrong(shipped_cases("ep4", {ep}), {{}, true}).empty());
  for (const std::uint64_t seed : few(1, {1U, 2U, 3U, 4U}))
    CHECK(wrong(shipped_cases("ep4", {ep}), {seed, false}).empty());
}

TEST_CASE("delays do delay: what is held up makes the run longer") {
  const DataCheck check(shipped_cases("ep4", {"parallel.ep=1", "workers.aiv=48"})[0], kDataSeed);
  const DataCheck::Pass& pass = check.passes()[0];
  const Delays delays = held_task(pass.schedule, first_of(pass, "GMM2"), 5 * pass.makespan);
  Duration sum{};
  for (const Duration delay : delays[0]) sum += delay;
  CHECK(sum == 5 * pass.makespan);
  const Delays drawn = drawn_delays(pass.schedule, 3, pass.makespan);
  std::size_t late = 0;
  for (const Duration delay : drawn[0]) {
    CHECK(delay < pass.makespan);
    late += delay > Duration::zero();
  }
  CHECK(late > drawn[0].size() / 4);
  CHECK(late < 3 * drawn[0].size() / 4);
  CHECK(drawn == drawn_delays(pass.schedule, 3, pass.makespan));
  CHECK(drawn != drawn_delays(pass.schedule, 4, pass.makespan));
}

TEST_CASE("behind every event there is a wait that, taken away, gives a wrong result") {
  using Case = std::pair<const char*, std::size_t>;  // 0: one partition, 1: two
  const auto [ep, at] = GENERATE(
      from_range(few(1, {Case{"parallel.ep=2", 0}, Case{"parallel.ep=1", 0}, Case{"parallel.ep=1", 1}})));
  const DataCheck check(shipped_cases("ep4", {ep, "model.experts_per_rank=3", "model.top_k=2"})[at],
                        kDataSeed);
  for (const DataCheck::Pass& pass : check.passes()) {
    const Sweep sweep = remove_waits(check, pass);
    INFO(pass.name);
    CHECK(sweep.events > 20);
    CHECK(sweep.silent == std::vector<std::string>{});
  }
}

TEST_CASE("what a task writes appears when it ends: who starts while it runs finds NaN") {
  const DataCheck check(shipped_cases("ep4", {"parallel.ep=1", "workers.aiv=47"})[0], kDataSeed);
  const DataCheck::Pass& pass = check.passes()[0];
  // Permute and the put behind it start at the same time, but Permute takes a little longer.
  const Schedule schedule = without_wait(pass.schedule, first_of(pass, "Dispatch"));
  const std::vector<TensorComparison> outcome =
      check.run(pass, schedule, held_task(pass.schedule, first_of(pass, "Permute"), 1_us));
  REQUIRE(outcome.size() == 1);
  CHECK(outcome[0].unwritten > 0);
}

TEST_CASE("a wait that is taken away leaves all else as it was") {
  const DataCheck check(shipped_cases("ep4", {"parallel.ep=2"})[0], kDataSeed);
  const DataCheck::Pass& pass = check.passes()[0];
  const TaskPlace place = first_of(pass, "SwiGLU");
  const Schedule changed = without_wait(pass.schedule, place);
  CHECK(changed[0].tasks()[place.task].dependent_event == kNone);
  CHECK(pass.schedule[0].tasks()[place.task].dependent_event != kNone);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < changed[0].bytes().size(); ++i)
    bytes += changed[0].bytes()[i] != pass.schedule[0].bytes()[i];
  CHECK(bytes <= sizeof kNone);
  CHECK(std::ranges::equal(changed[1].bytes(), pass.schedule[1].bytes()));
}

TEST_CASE("a dropped wait is reported as a fault, with the run in which it still waits beside it") {
  const DataCheck check(
      shipped_cases("ep4", {"parallel.ep=1", "order.ctq=[stage, expert, op, row, tile]"})[0], kDataSeed);
  const DataFindings findings = drop_wait(check, "GMM_w1_grad:3");
  REQUIRE(findings.faults.size() == 1);
  CHECK_THAT(findings.faults[0], Contains("d_w1") && Contains("no number") && Contains("SwiGLU_grad"));
  CHECK_THAT(findings.report.text(), Contains("GMM_w1_grad[3] of rank 0 does not wait"));
  CHECK_THROWS_WITH(drop_wait(check, "Permute"), Contains("Permute"));
  CHECK_THROWS_WITH(drop_wait(check, "GMM9"), Contains("GMM9"));
  CHECK_THROWS_WITH(drop_wait(check, "GMM1:999"), Contains("GMM1:999"));
  CHECK_THROWS_WITH(drop_wait(check, "GMM1:two"), Contains("INDEX"));
}

TEST_CASE("a wait that others imply is no fault when dropped") {
  // Whoever would read too early waits for the Join's event through its own.
  const DataCheck check(shipped_cases("diamond")[0], kDataSeed);
  CHECK(drop_wait(check, "Join").faults.empty());
  CHECK(drop_wait(check, "Sum").faults.size() == 1);
}
