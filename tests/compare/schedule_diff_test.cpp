#include "sim/compare/runs/schedule_diff.h"

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "scheduler/ssc/parts_of.h"
#include "tests/scheduler/small_compile.h"

using namespace a3sim;

namespace {

Schedule ep2_schedule(const OrderSpec& order = ratr_order()) {
  const MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, route({}, shape));
  options.order = order;
  return compile(small_graph(false, shape), "forward", options).schedule;
}

ScheduleDiff diff_of(const Schedule& a, const Schedule& b) {
  return diff_schedules({{"forward", &a}}, {{"forward", &b}}, 20);
}

// The schedule with rank 0 changed.
Schedule with(const std::function<void(SscParts&)>& change) {
  Schedule schedule = ep2_schedule();
  SscParts parts = parts_of(schedule[0]);
  change(parts);
  schedule[0] = Ssc::build(parts);
  return schedule;
}

nlohmann::ordered_json differences(const Schedule& a, const Schedule& b) {
  const ScheduleDiff diff = diff_of(a, b);
  CHECK_FALSE(diff.same);
  return diff.report.json()["tasks"];
}

}  // namespace

TEST_CASE("a schedule is the same as itself compiled again") {
  CHECK(diff_of(ep2_schedule(), ep2_schedule()).same);
}

TEST_CASE("another order moves tasks, and changes neither waits nor what they touch") {
  for (const auto& row : differences(ep2_schedule(), ep2_schedule(naive_order())))
    CHECK(row["what"] == "moved");
}

TEST_CASE("a wait that is gone is named, with who was waited for") {
  const auto rows = differences(ep2_schedule(), with([](SscParts& parts) {
                                  std::ranges::find(parts.tasks, 1, &TaskDescriptor::op)->dependent_event =
                                      kNone;
                                }));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["task"] == "GMM1[0]");
  CHECK(rows[0]["what"] == "waits for");
  CHECK(rows[0]["a"].get<std::string>().starts_with("Dispatch[0] and "));
  CHECK(rows[0]["b"] == "nothing");
}

TEST_CASE("a threshold that is another one differs for all who wait") {
  const auto rows = differences(ep2_schedule(), with([](SscParts& parts) { ++parts.events[0].threshold; }));
  const Schedule good = ep2_schedule();
  CHECK(static_cast<std::ptrdiff_t>(rows.size()) ==
        std::ranges::count(good[0].tasks(), 0U, &TaskDescriptor::dependent_event));
}

TEST_CASE("events of other numbers and the same tasks are no other waits") {
  const Schedule renumbered = with([](SscParts& parts) {
    REQUIRE(parts.events.size() > 1);
    std::swap(parts.events[0], parts.events[1]);
    for (TaskDescriptor& td : parts.tasks) {
      if (td.dependent_event < 2) td.dependent_event ^= 1;
      if (td.trigger_rank == 0 && td.trigger_event < 2) td.trigger_event ^= 1;
    }
  });
  Schedule all = renumbered;
  SscParts other = parts_of(all[1]);
  for (TaskDescriptor& td : other.tasks) {
    if (td.trigger_rank == 0 && td.trigger_event < 2) td.trigger_event ^= 1;
  }
  all[1] = Ssc::build(other);
  const ScheduleDiff diff = diff_of(ep2_schedule(), all);
  CHECK(diff.report.json()["tasks"].empty());
  CHECK(diff.report.text().find("only numbers of tasks and events") != std::string::npos);
}

TEST_CASE("other rows, a task more, a pass more: each is told") {
  const auto rows = differences(ep2_schedule(), with([](SscParts& parts) { --parts.regions[0].row_end; }));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["what"] == "touches");
  const Schedule a = ep2_schedule();
  const ScheduleDiff more = diff_schedules({{"forward", &a}}, {{"forward", &a}, {"backward", &a}}, 20);
  CHECK_FALSE(more.same);
  CHECK(more.report.text().find("backward: only in B") != std::string::npos);
}
