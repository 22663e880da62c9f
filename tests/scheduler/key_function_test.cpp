#include "scheduler/orders/key_function.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <memory>

#include "scheduler/compile/compile.h"
#include "scheduler/orders/order_keys.h"
#include "sim/core/error.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

// What keys in an order would say as well.
class ByExpert final : public KeyFunction {
 public:
  explicit ByExpert(double scale) : scale_(scale) {}
  Keys evaluate(const Queue& queue) const override {
    Keys keys{2, {}};
    for (const Attributes& task : *queue.tasks) {
      keys.values.push_back(scale_ * task.expert);
      keys.values.push_back(task.path);
    }
    return keys;
  }

 private:
  double scale_;
};

class OneNumber final : public KeyFunction {
 public:
  Keys evaluate(const Queue&) const override { return {1, {1.0}}; }
};

CompileOptions options_of_two() {
  const MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, uneven_counts(shape, 3));
  options.path_rates = {1e12, 1e9};
  return options;
}

Schedule compiled(const CompileOptions& options) {
  return compile(small_graph(false, options.shape), "g", options).schedule;
}

}  // namespace

TEST_CASE("a function's keys make the schedule that the same keys of an order make") {
  CompileOptions options = options_of_two();
  for (auto& keys : options.order.keys) keys = {"-expert", "path"};
  const Schedule expected = compiled(options);
  for (auto& function : options.order.functions) function = std::make_shared<ByExpert>(-1);
  for (auto& keys : options.order.keys) keys.clear();
  const Schedule schedule = compiled(options);
  REQUIRE(schedule.size() == expected.size());
  for (std::size_t r = 0; r < schedule.size(); ++r)
    CHECK(std::ranges::equal(schedule[r].bytes(), expected[r].bytes()));
}

TEST_CASE("a function's keys are refused where one is missing or has no finite value") {
  CompileOptions options = options_of_two();
  options.order.name = "mine";
  options.order.functions[0] = std::make_shared<ByExpert>(std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_WITH(compiled(options),
                    Catch::Contains("order 'mine', CTQ: the function has no finite value as key 1"));
  options.order.functions[0] = std::make_shared<OneNumber>();
  CHECK_THROWS_WITH(compiled(options), Catch::Contains("gives 1 numbers, 1 of each task"));
}

}  // namespace a3sim
