#include "sim/sweep/tried_cost.h"

#include <catch2/catch.hpp>
#include <set>

namespace a3sim {
namespace {

TEST_CASE("what points share is foreseen once a taskflow, what is their own for each") {
  // Forty points of four taskflows, that take 9 s once and 0.5 s each.
  constexpr double kShared = 9, kOwn = 0.5;
  std::vector<std::string> taskflows;
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t p = 0; p < 40; ++p) {
    taskflows.push_back("taskflow " + std::to_string(p % 4));
    wanted.push_back(p);
  }
  TriedCost cost(taskflows, wanted);
  const std::vector<std::uint64_t> tried = cost.to_try();
  REQUIRE(tried.size() == 6);
  std::set<std::string> begun;
  for (const std::uint64_t position : tried)
    cost.add(position, kOwn + (begun.insert(taskflows[position]).second ? kShared : 0));
  CHECK(cost.alone() == Approx(kOwn));
  CHECK(cost.shared() == Approx(4 * kShared));
}

TEST_CASE("points that share nothing are foreseen by their mean") {
  const std::vector<std::string> taskflows{"a", "b", "c", "d"};
  const std::vector<std::uint64_t> wanted{0, 1, 2, 3};
  TriedCost cost(taskflows, wanted);
  REQUIRE(cost.to_try() == std::vector<std::uint64_t>{0, 1, 3});
  for (const std::uint64_t position : cost.to_try()) cost.add(position, 1.0 + static_cast<double>(position));
  CHECK(cost.alone() == Approx((1.0 + 2 + 4) / 3));
  CHECK(cost.shared() == 0);
}

TEST_CASE("points of a single taskflow are tried at its ends and between") {
  const std::vector<std::string> taskflows(9, "one");
  const std::vector<std::uint64_t> wanted{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const TriedCost cost(taskflows, wanted);
  CHECK(cost.to_try() == std::vector<std::uint64_t>{0, 4, 8});
}

}  // namespace
}  // namespace a3sim
