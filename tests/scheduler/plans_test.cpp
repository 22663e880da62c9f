#include "scheduler/compile/plans.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/scheduler/abstract_flow.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kTied = 40;

// The VTQ of one operator with kTied tasks, under one key.
std::vector<std::uint32_t> planned(const std::string& key) {
  AbstractFlow f;
  const auto a = f.tensor(kTied);
  const auto op = f.op("Op", 0, {}, {a});
  f.flow.operators[op].type = "Add";  // one that needs a vector unit
  for (std::uint32_t row = 0; row < kTied; ++row) f.task(0, op, {}, {rows(a, row, row + 1)});
  CompileOptions options;
  options.order.keys[0] = options.order.keys[1] = {key};
  const TaskflowView view(f.flow);
  const MoeShape shape{.experts_per_rank = 1, .ep = 1};
  const TaskWeights weights(view, RowLayout(shape, RoutingCounts(1, 1)), options);
  return make_plans(view, options.order, weights, aic_and_aiv(1, 1))[0][1].tasks;
}

}  // namespace

TEST_CASE("tasks that no key tells apart stand in the order of the task table") {
  std::vector<std::uint32_t> by_task(kTied);
  std::iota(by_task.begin(), by_task.end(), 0);
  CHECK(planned("0") == by_task);
}

TEST_CASE("ties of a key are by task, in each of its values") {
  const std::vector<std::uint32_t> tasks = planned("index % 3");
  std::vector<std::uint32_t> expected;
  for (std::uint32_t rest = 0; rest < 3; ++rest) {
    for (std::uint32_t task = rest; task < kTied; task += 3) expected.push_back(task);
  }
  CHECK(tasks == expected);
}

TEST_CASE("keys that are no whole numbers, or too large for one number, sort alike") {
  std::vector<std::uint32_t> down(kTied);
  std::iota(down.rbegin(), down.rend(), 0);
  CHECK(planned("-index") == down);
  CHECK(planned("-index / 7") == down);
  CHECK(planned("0.5 - index") == down);
  CHECK(planned("-index * 1000000000000000000") == down);
  CHECK(planned("(20 - index) * 100000000000000") == down);
}

}  // namespace a3sim
