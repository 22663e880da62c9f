#include "scheduler/compile/emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "scheduler/compile/wiring.h"
#include "scheduler/orders/order_keys.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "tests/scheduler/abstract_flow.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

using Queue = std::vector<std::uint32_t>;

// First -> Second on the VTQ, two tasks each, pair by pair.
AbstractFlow two_pairs() {
  AbstractFlow f;
  const auto a = f.tensor(2), b = f.tensor(2);
  const auto first = f.op("First", 0, {}, {a}), second = f.op("Second", 1, {a}, {b});
  for (std::uint32_t r = 0; r < 2; ++r) f.task(0, first, {}, {rows(a, r, r + 1)});
  for (std::uint32_t r = 0; r < 2; ++r) f.task(0, second, {rows(a, r, r + 1)}, {rows(b, r, r + 1)});
  wire(f.flow);
  return f;
}

Queue emitted(const AbstractFlow& f, Queue vtq, bool fixed) {
  Plans plans(1);
  plans[0][1] = {std::move(vtq), fixed};
  return emit(TaskflowView(f.flow), plans, aic_and_aiv(1, 1), "order: ")[0][1];
}

std::vector<OrderSpec::Explicit> listed(const Schedule& schedule, std::uint32_t queue) {
  std::vector<OrderSpec::Explicit> list;
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    for (const std::uint32_t t : schedule[r].queue(queue)) {
      const TaskDescriptor& td = schedule[r].tasks()[t];
      list.push_back({r, schedule[r].operators()[td.op].name, td.task_index,
                      static_cast<std::uint32_t>(list.size() + 1)});
    }
  }
  return list;
}

// Small forward at EP2 with both queues listed as RATR has them.
struct Listed {
  MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, route({}, shape));
  Graph graph = small_graph(false, shape);
  Schedule by_keys = compile(graph, "g", options).schedule;

  Listed() {
    for (std::uint32_t q = 0; q < by_keys[0].queues(); ++q) {
      options.order.list[q] = listed(by_keys, q);
      options.order.list_file[q] = q == 0 ? "ctq.csv" : "vtq.csv";
    }
  }
};

}  // namespace

TEST_CASE("a legal plan is kept exactly") {
  CHECK(emitted(two_pairs(), {1, 3, 0, 2}, false) == Queue{1, 3, 0, 2});
  CHECK(emitted(two_pairs(), {1, 3, 0, 2}, true) == Queue{1, 3, 0, 2});
}

TEST_CASE("a plan that cannot run is departed from only until its next task is ready") {
  CHECK(emitted(two_pairs(), {3, 0, 2, 1}, false) == Queue{0, 2, 1, 3});
  CHECK(emitted(two_pairs(), {3, 1, 2, 0}, false) == Queue{1, 3, 0, 2});
}

TEST_CASE("a fixed plan that cannot run is refused with the task and what it waits for") {
  CHECK_THROWS_WITH(
      emitted(two_pairs(), {0, 3, 1, 2}, true),
      "order: Second[1] at place 1 of the VTQ of rank 0 can never run: it waits for event 1 (0 of 1), "
      "which First[1] on rank 0 must trigger");
}

TEST_CASE("a queue waits for other queues as long as they can go on") {
  AbstractFlow f;
  const auto a = f.tensor(1), b = f.tensor(1);
  const auto cube = f.op("Cube", 0, {}, {a}), vector = f.op("Vector", 1, {a}, {b}),
             other = f.op("Other", 0, {}, {});
  f.task(0, cube, {}, {rows(a, 0, 1)});
  f.task(0, vector, {rows(a, 0, 1)}, {rows(b, 0, 1)});
  f.task(0, other, {}, {});
  wire(f.flow);
  Plans plans(1);
  plans[0][0] = {{0}, false};
  plans[0][1] = {{1, 2}, false};
  CHECK(emit(TaskflowView(f.flow), plans, aic_and_aiv(1, 1), "")[0][1] == Queue{1, 2});
}

TEST_CASE("a legal order of keys gives queues sorted by the keys") {
  const MoeShape shape = small_shape(4);
  CompileOptions options = small_options(4, uneven_counts(shape, 2), 2);
  for (const bool backward : {false, true}) {
    const Schedule schedule = compile(small_graph(backward, shape), "g", options).schedule;
    std::vector<std::string> names;
    for (const OperatorInfo& op : schedule[0].operators()) names.push_back(op.name);
    for (std::uint32_t q = 0; q < kCoreUnits; ++q) {
      KeyProgram keys(options.order, static_cast<CoreUnit>(q), names);
      for (const Ssc& ssc : schedule) {
        std::vector<std::vector<double>> values;
        for (const std::uint32_t t : ssc.queue(q)) {
          values.emplace_back(keys.size());
          keys.evaluate(attributes_of(ssc.tasks()[t], ssc.rank(), shape.ep), values.back());
        }
        CHECK(std::is_sorted(values.begin(), values.end()));
      }
    }
  }
}

TEST_CASE("whatever the keys, the schedule holds every task once and runs to its end") {
  constexpr int kSeeds = 60;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const std::uint32_t ep = 1U << random() % 3;
    const MoeShape shape = small_shape(ep);
    CompileOptions options = small_options(ep, uneven_counts(shape, random()), 1 + random() % 2);
    for (auto& keys : options.order.keys) {
      keys = {fmt::format("(index * {} + op * {} + rank * {}) % {}", random() % 97, random() % 89,
                          random() % 83, 1 + random() % 53)};
    }
    options.order.assignment = random() % 2 ? Assignment::kCyclic : Assignment::kShared;
    if (random() % 2) options.order.limits = {{"Dispatch", 1}};
    OrderSpec& order = options.order;
    const bool backward = random() % 2;
    if (backward) order.limits.clear();
    const Schedule schedule = compile(small_graph(backward, shape), "g", options).schedule;
    INFO("seed " << seed);
    CHECK(verify(schedule).errors == std::vector<std::string>{});
    for (const Ssc& ssc : schedule) {
      std::vector<std::uint32_t> tasks;
      for (std::uint32_t queue = 0; queue < ssc.queues(); ++queue) {
        tasks.insert(tasks.end(), ssc.queue(queue).begin(), ssc.queue(queue).end());
      }
      std::sort(tasks.begin(), tasks.end());
      std::vector<std::uint32_t> expected(ssc.tasks().size());
      std::iota(expected.begin(), expected.end(), 0);
      CHECK(tasks == expected);
    }
  }
}

TEST_CASE("an explicit list that is legal is used as it is") {
  Listed l;
  // Two puts of one destination's tile exchanged: still legal.
  std::swap(l.options.order.list[1][0], l.options.order.list[1][1]);
  const Schedule schedule = compile(l.graph, "g", l.options).schedule;
  CHECK(schedule[0].queue(kAivQueue)[0] == l.by_keys[0].queue(kAivQueue)[1]);
  CHECK(schedule[0].queue(kAivQueue)[1] == l.by_keys[0].queue(kAivQueue)[0]);
  CHECK(std::ranges::equal(schedule[1].queue(kAivQueue), l.by_keys[1].queue(kAivQueue)));
  CHECK(std::ranges::equal(schedule[0].queue(kAicQueue), l.by_keys[0].queue(kAicQueue)));
}

TEST_CASE("an explicit list that cannot run, or is not the queue's tasks, is refused") {
  Listed l;
  auto& vtq = l.options.order.list[1];
  const auto compiled = [&] { return compile(l.graph, "g", l.options); };
  SECTION("illegal") {
    // Rank 0's last task, a Combine, first.
    const auto last = std::find_if(vtq.rbegin(), vtq.rend(), [](const auto& e) { return e.rank == 0; });
    std::rotate(vtq.begin(), std::prev(last.base()), last.base());
    CHECK_THROWS_WITH(compiled(), Catch::Contains("Combine[") &&
                                      Catch::Contains("at place 0 of the VTQ of rank 0") &&
                                      Catch::Contains("GMM2["));
  }
  SECTION("missing") {
    const std::string name = fmt::format("{}[{}] of rank 1 is missing", vtq.back().op, vtq.back().index);
    vtq.pop_back();
    CHECK_THROWS_WITH(compiled(), "vtq.csv: " + name);
  }
  SECTION("twice") {
    vtq[1] = vtq[0];
    vtq[1].line = 2;
    CHECK_THROWS_WITH(compiled(), Catch::Contains("vtq.csv:2: ") && Catch::Contains("stands twice"));
  }
  SECTION("unknown operator") {
    vtq[0].op = "Dispach";
    CHECK_THROWS_WITH(compiled(), "vtq.csv:1: unknown operator 'Dispach'; did you mean 'Dispatch'?");
  }
  SECTION("rank that does not exist") {
    vtq[0].rank = 2;
    CHECK_THROWS_WITH(compiled(), "vtq.csv:1: rank 2, but there are 2 ranks");
  }
  SECTION("index that does not exist") {
    vtq[0].index = 1000;
    CHECK_THROWS_WITH(compiled(), Catch::StartsWith("vtq.csv:1: Dispatch[1000], but Dispatch has "));
  }
  SECTION("task of the other queue") {
    vtq[0] = {0, "GMM1", 0, 1};
    CHECK_THROWS_WITH(compiled(), "vtq.csv:1: GMM1 is not of the VTQ");
  }
  SECTION("operators of other graphs that the order serves are passed over") {
    l.options.order.elsewhere = {"Dispatch_bwd"};
    vtq.push_back({0, "Dispatch_bwd", 0, 99});
    CHECK_NOTHROW(compiled());
  }
}

}  // namespace a3sim
