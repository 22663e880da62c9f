#include "models/worker_kinds.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "scheduler/compile/emission.h"
#include "scheduler/compile/show.h"
#include "scheduler/compile/wiring.h"
#include "scheduler/runtime_files/runtime_schedule.h"
#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "tests/scheduler/abstract_flow.h"
#include "tests/scheduler/small_compile.h"
#include "tests/scheduler/small_ssc.h"

// Devices whose workers are not AIC and AIV.
namespace a3sim {
namespace {

using Catch::Contains;
using TaskQueue = std::vector<std::uint32_t>;

WorkerKinds sms(std::uint32_t count) { return WorkerKinds({{"SM", count, {true, true}}}); }

CompileOptions options_for(const WorkerKinds& kinds, std::uint64_t seed = 3) {
  CompileOptions options = small_options(4, uneven_counts(small_shape(4), seed), 2);
  options.workers = kinds;
  return options;
}

Schedule compiled_for(const CompileOptions& options, bool backward = false) {
  return compile(small_graph(backward, options.shape), "g", options).schedule;
}

CoreUnit unit_of(const Ssc& ssc, std::uint32_t task) {
  return Operators::get(ssc.operators()[ssc.tasks()[task].op].type).unit();
}

// The tasks of one unit, as they stand in all queues.
TaskQueue of_unit(const Ssc& ssc, CoreUnit unit) {
  TaskQueue tasks;
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    std::ranges::copy_if(ssc.queue(q), std::back_inserter(tasks),
                         [&](std::uint32_t task) { return unit_of(ssc, task) == unit; });
  }
  return tasks;
}

// A schedule by hand, of AIC, of AIV, and of one SM that runs the last vector task.
SscParts three_kinds() {
  SscParts parts = small_parts();
  parts.kinds.add({"SM", 1, {true, true}});
  parts.queues.push_back({4});
  parts.queues[kAivQueue] = {1, 0};
  parts.worker_sets.push_back({2, 0, 1});
  parts.tasks[4].queue_type = 2;
  parts.tasks[4].worker_set = 3;
  return parts;
}

SscParts one_kind() {
  SscParts parts = small_parts();
  parts.kinds = sms(5);
  parts.queues = {{1, 0, 3, 2, 4}};
  for (WorkerSet& set : parts.worker_sets) set.queue_type = 0;
  for (TaskDescriptor& td : parts.tasks) td.queue_type = 0;
  return parts;
}

std::string build_error(const std::function<void(SscParts&)>& change) {
  SscParts parts = three_kinds();
  change(parts);
  try {
    Ssc::build(parts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of_text(const std::string& text) {
  try {
    Ssc::from_text(text, "t");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("workers are numbered kind by kind, and each unit has the queue of the first kind with it") {
  WorkerKinds kinds = aic_and_aiv(2, 3);
  kinds.add({"SM", 4, {true, true}});
  CHECK(kinds.workers() == 9);
  CHECK(kinds.first_worker(2) == 5);
  CHECK(kinds.worker_name(1) == "AIC 1");
  CHECK(kinds.worker_name(4) == "AIV 2");
  CHECK(kinds.worker_name(5) == "SM 0");
  CHECK(kinds.queue_for(CoreUnit::kVector) == kAivQueue);
  CHECK_FALSE(kinds.one_queue());
  CHECK(kinds.text() == "2 AIC, 3 AIV and 4 SM");
  CHECK(kinds[2].queue() == "SMQ");
  CHECK(sms(4).one_queue());
  CHECK(aic_and_aiv(0, 7).count(CoreUnit::kMatrix) == 0);
}

TEST_CASE("one kind that has both units has one queue with all tasks, which runs under any assignment") {
  for (const bool backward : {false, true}) {
    for (const Assignment assignment : {Assignment::kCyclic, Assignment::kShared}) {
      CompileOptions options = options_for(sms(5));
      options.order.assignment = assignment;
      const Schedule schedule = compiled_for(options, backward);
      CHECK(verify(schedule).errors == std::vector<std::string>{});
      for (const Ssc& ssc : schedule) {
        REQUIRE(ssc.queues() == 1);
        TaskQueue tasks(ssc.queue(0).begin(), ssc.queue(0).end());
        REQUIRE(tasks.size() == ssc.tasks().size());
        std::ranges::sort(tasks);
        for (std::uint32_t t = 0; t < tasks.size(); ++t) CHECK(tasks[t] == t);
      }
    }
  }
}

TEST_CASE("tasks of each unit stand in a queue for both as they do in queues of their own") {
  for (const bool backward : {false, true}) {
    const Schedule merged = compiled_for(options_for(sms(5)), backward),
                   apart = compiled_for(options_for(aic_and_aiv(2, 3)), backward);
    for (std::size_t r = 0; r < merged.size(); ++r) {
      for (const CoreUnit unit : {CoreUnit::kMatrix, CoreUnit::kVector})
        CHECK(of_unit(merged[r], unit) == of_unit(apart[r], unit));
    }
  }
}

TEST_CASE("whatever the keys, a queue for both runs to its end") {
  constexpr std::uint64_t kSeeds = 30;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CompileOptions options = options_for(sms(1 + seed % 3), seed);
    for (auto& keys : options.order.keys)
      keys = {fmt::format("(index * {} + op * {} + rank * 83) % {}", 1 + seed * 7 % 97, 1 + seed * 13 % 89,
                          2 + seed)};
    INFO("seed " << seed);
    CHECK(verify(compiled_for(options, seed % 2 == 1)).errors == std::vector<std::string>{});
  }
}

TEST_CASE(
    "of two ready tasks that of the plan that is less far goes first, of plans as far the matrix task") {
  AbstractFlow f;
  const auto cube = f.op("Cube", 0, {}, {}), vector = f.op("Vector", 0, {}, {});
  for (int task = 0; task < 2; ++task) f.task(0, cube, {}, {});
  for (int task = 0; task < 4; ++task) f.task(0, vector, {}, {});
  wire(f.flow);
  Plans plans(1);
  plans[0][0].tasks = {0, 1};
  plans[0][1].tasks = {2, 3, 4, 5};
  CHECK(emit(TaskflowView(f.flow), plans, sms(1), "")[0][0] == TaskQueue{0, 2, 3, 1, 4, 5});
  CHECK(emit(TaskflowView(f.flow), plans, aic_and_aiv(1, 1), "")[0] ==
        std::vector<TaskQueue>{{0, 1}, {2, 3, 4, 5}});
}

TEST_CASE("a plan that is less far lets the other go first while its next task waits") {
  AbstractFlow f;
  const auto a = f.tensor(1), b = f.tensor(1);
  const auto vector = f.op("Vector", 0, {}, {a}), cube = f.op("Cube", 1, {a}, {b}),
             other = f.op("Other", 0, {}, {});
  f.task(0, vector, {}, {rows(a, 0, 1)});
  f.task(0, cube, {rows(a, 0, 1)}, {rows(b, 0, 1)});
  f.task(0, other, {}, {});
  wire(f.flow);
  Plans plans(1);
  plans[0][0].tasks = {1};
  plans[0][1].tasks = {0, 2};
  CHECK(emit(TaskflowView(f.flow), plans, sms(1), "")[0][0] == TaskQueue{0, 1, 2});
}

TEST_CASE("ranks that are alike have a queue for both alike") {
  CompileOptions options = options_for(sms(5));
  options.shape.tokens = 8;    // as many to each expert
  options.cut.partitions = 1;  // else they end at other sources on each rank
  options.capacity = route({}, options.shape);
  const Schedule schedule = compiled_for(options);
  for (const Ssc& ssc : schedule) {
    std::vector<std::uint16_t> ops, first;
    for (const std::uint32_t task : ssc.queue(0)) ops.push_back(ssc.tasks()[task].op);
    for (const std::uint32_t task : schedule[0].queue(0)) first.push_back(schedule[0].tasks()[task].op);
    CHECK(ops == first);
  }
}

TEST_CASE("pools take workers of the one kind, for operators of either unit") {
  CompileOptions options = options_for(sms(5));
  options.order.pools = {{"some", {"Dispatch", "GMM1"}, 2}};
  const Ssc ssc = compiled_for(options)[0];
  for (const TaskDescriptor& td : ssc.tasks()) {
    const std::string& op = ssc.operators()[td.op].name;
    const bool pooled = op == "Dispatch" || op == "GMM1";
    CHECK(ssc.worker_sets()[td.worker_set] == (pooled ? WorkerSet{0, 0, 2} : WorkerSet{0, 2, 3}));
  }
}

TEST_CASE("lists of one unit's tasks are refused where both units have one queue") {
  CompileOptions options = options_for(sms(5));
  options.order.list_file[1] = "vtq.csv";
  CHECK_THROWS_WITH(compiled_for(options),
                    Contains("vtq.csv: ") && Contains("the SM of this machine have one queue"));
}

TEST_CASE("a matrix task in the queue of workers that run vector tasks alone is found") {
  Schedule schedule = compiled_for(options_for(aic_and_aiv(2, 3)));
  SscParts parts = parts_of(schedule[0]);
  const std::uint32_t task = parts.queues[kAicQueue].back();
  parts.queues[kAicQueue].pop_back();
  parts.queues[kAivQueue].push_back(task);
  parts.tasks[task].queue_type = kAivQueue;
  const auto of_aiv = std::ranges::find(parts.worker_sets, kAivQueue, &WorkerSet::queue_type);
  parts.tasks[task].worker_set = static_cast<std::uint8_t>(of_aiv - parts.worker_sets.begin());
  schedule[0] = Ssc::build(parts);
  const std::vector<std::string> errors = verify(schedule).errors;
  REQUIRE_FALSE(errors.empty());
  CHECK_THAT(errors[0], Contains("in the VTQ, its operator (GroupedMatmul) has matrix tasks"));
}

TEST_CASE("schedules of one kind and of three come back from bytes and from text") {
  for (const SscParts& parts : {one_kind(), three_kinds()}) {
    const Ssc ssc = Ssc::build(parts);
    CHECK(ssc.kinds() == parts.kinds);
    for (std::uint32_t q = 0; q < ssc.queues(); ++q) CHECK(std::ranges::equal(ssc.queue(q), parts.queues[q]));
    const std::vector<std::uint8_t> bytes(ssc.bytes().begin(), ssc.bytes().end());
    CHECK(std::ranges::equal(Ssc::from_buffer(bytes, "again").bytes(), bytes));
    CHECK(std::ranges::equal(Ssc::from_text(ssc.to_text(), "t").bytes(), bytes));
    CHECK(std::ranges::equal(Ssc::build(parts_of(ssc)).bytes(), bytes));
  }
  const std::string text = Ssc::build(three_kinds()).to_text();
  CHECK_THAT(text, Contains("\nkind \"SM\" 1 yes yes \"\"  # 2\n") &&
                       Contains("\nsmq 4  # task 0 of 1 of \"End\"\n"));
  CHECK_THAT(text, !Contains("\nworkers "));
}

TEST_CASE("kinds that queues cannot be told apart by, or that run nothing, are refused") {
  CHECK_THAT(build_error([](SscParts& p) { p.kinds[2].name = "AIV"; }),
             Contains("kind 2: another has a VTQ too"));
  CHECK_THAT(build_error([](SscParts& p) { p.kinds[2].name = "CT"; }),
             Contains("kind 2: another has a CTQ too"));
  for (const char* name : {"", "sm", "S M", "9S", "SM\n"})
    CHECK_THAT(build_error([&](SscParts& p) { p.kinds[2].name = name; }),
               Contains("kind 2: its name is not one"));
  CHECK_THAT(build_error([](SscParts& p) { p.kinds[2].units = {}; }), Contains("kind 2: SM runs nothing"));
  CHECK_THAT(build_error([](SscParts& p) { p.queues.pop_back(); }),
             Contains("2 queues and 3 kinds of worker"));
  CHECK_THAT(build_error([](SscParts& p) {
               while (p.kinds.size() < 17) {
                 p.kinds.add({fmt::format("K{}", p.kinds.size()), 1, {true, false}});
                 p.queues.emplace_back();
               }
             }),
             Contains("17 kinds of worker, expected 1 to 16"));
  CHECK_THAT(build_error([](SscParts& p) { p.tasks[4].queue_type = 3; }), Contains("task 4: queue 3 of 3"));
}

TEST_CASE("kinds of worker that do not fit the rest of a text are refused with their line") {
  const std::string text = Ssc::build(three_kinds()).to_text();
  const std::string line =
      fmt::format("t:{}: ", 1 + std::count(text.begin(), text.begin() + text.find("kind \"SM\""), '\n'));
  CHECK_THAT(error_of_text(with(text, "1 yes yes", "1 no no")), Contains(line + "kind 2: SM runs nothing"));
  CHECK_THAT(error_of_text(with(text, "kind \"SM\"", "kind \"AIC\"")), Contains("'SMQ' found"));
  CHECK_THAT(error_of_text(with(text, "kind \"SM\" 1", "workers 1 1\nkind \"SM\" 1")),
             Contains("workers stand in lines 'kind' already"));
  const std::string usual = Ssc::build(small_parts()).to_text();
  CHECK_THAT(error_of_text(with(usual, "\nctq ", "\nkind \"SM\" 1 yes yes\nctq ")),
             Contains("workers stand in a line 'workers' already"));
  CHECK_THAT(error_of_text(with(text, "\nsmq 4", "\nsmq 3")),
             Contains("SMQ entry 0: task 3 is of another queue"));
  CHECK_THAT(error_of_text(with(text, "\nsmq 4", "\nsnq 4")), Contains("unknown item 'snq'"));
}

TEST_CASE("a queue is shown by its name, and only those that there are") {
  const Schedule schedule = compiled_for(options_for(sms(5)));
  CHECK_THAT(show_queue(schedule, RankId{0}, "smq", 1), Contains("SMQ of rank 0: "));
  CHECK_THROWS_WITH(show_queue(schedule, RankId{0}, "ctq", 1),
                    Contains("no queue 'ctq'; the schedule's workers have smq"));
}

TEST_CASE("the public runtime's files carry AIC and AIV alone") {
  CHECK_THROWS_WITH(runtime_config_of(compiled_for(options_for(sms(5)))[0]),
                    Contains("workers other than AIC and AIV: this schedule is for 5 SM"));
}

}  // namespace a3sim
