#include "scheduler/orders/order_pools.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kAic = 25, kAiv = 50;
const WorkerKinds kWorkers = aic_and_aiv(kAic, kAiv);

const std::vector<OperatorQueue> kForward = {{"Dispatch", CoreUnit::kVector, "Dispatch"},
                                             {"GMM1", CoreUnit::kMatrix, "GroupedMatmul"},
                                             {"SwiGLU", CoreUnit::kVector, "SwiGLU"},
                                             {"GMM2", CoreUnit::kMatrix, "GroupedMatmul"},
                                             {"Combine", CoreUnit::kVector, "Combine"}};

OrderSpec order_with_pools(std::vector<OrderSpec::Pool> pools,
                           std::map<std::string, std::uint32_t> limits = {}) {
  OrderSpec order;
  order.name = "mine";
  order.where = "mine.yaml:1:1";
  order.pools = std::move(pools);
  order.limits = std::move(limits);
  return order;
}

// The workers of each operator, by OpId.
std::vector<WorkerSet> sets_of(const OrderSpec& order) {
  const WorkerPlan plan = assign_worker_sets(order, kForward, kWorkers);
  std::vector<WorkerSet> sets;
  for (std::uint8_t set : plan.set_of) sets.push_back(plan.sets[set]);
  return sets;
}

std::string pools_error(const OrderSpec& order, const WorkerKinds& workers = kWorkers) {
  try {
    assign_worker_sets(order, kForward, workers);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Without pools all operators of a queue share all its workers, in one set") {
  const WorkerPlan plan = assign_worker_sets(order_with_pools({}), kForward, kWorkers);
  REQUIRE(plan.sets == std::vector<WorkerSet>{{kAivQueue, 0, kAiv}, {kAicQueue, 0, kAic}});
  REQUIRE(plan.set_of == std::vector<std::uint8_t>{0, 1, 0, 1, 0});
}

TEST_CASE("A pool's workers run its operators only, the others share the rest") {
  constexpr std::uint32_t kComm = 30;
  const WorkerSet comm{kAivQueue, 0, kComm}, rest{kAivQueue, kComm, kAiv - kComm}, cubes{kAicQueue, 0, kAic};
  REQUIRE(sets_of(order_with_pools({{"comm", {"Dispatch", "Combine"}, kComm}})) ==
          std::vector<WorkerSet>{comm, cubes, rest, cubes, comm});
}

TEST_CASE("Pools take workers one after the other, in each queue") {
  constexpr std::uint32_t kOut = 20, kIn = 10, kUp = 15;
  const OrderSpec order =
      order_with_pools({{"out", {"Dispatch"}, kOut}, {"up", {"GMM1"}, kUp}, {"in", {"Combine"}, kIn}});
  REQUIRE(sets_of(order) == std::vector<WorkerSet>{{kAivQueue, 0, kOut},
                                                   {kAicQueue, 0, kUp},
                                                   {kAivQueue, kOut + kIn, kAiv - kOut - kIn},
                                                   {kAicQueue, kUp, kAic - kUp},
                                                   {kAivQueue, kOut, kIn}});
}

TEST_CASE("Pools may take all workers of a queue when every operator of it has one") {
  REQUIRE(sets_of(order_with_pools({{"up", {"GMM1"}, 24}, {"down", {"GMM2"}, 1}}))[3] ==
          WorkerSet{kAicQueue, 24, 1});
  REQUIRE(
      pools_error(order_with_pools({{"up", {"GMM1"}, kAic}})) ==
      "mine.yaml:1:1: order 'mine': no worker of the CTQ is left for operator 'GMM2': pools take 25 of 25");
}

TEST_CASE("A limit is the first workers of the operator's set, and one above the set's size is the set") {
  constexpr std::uint32_t kComm = 30, kLimit = 4;
  const OrderSpec order =
      order_with_pools({{"comm", {"Dispatch", "Combine"}, kComm}}, {{"Combine", kLimit}, {"GMM1", 99}});
  REQUIRE(sets_of(order)[0] == WorkerSet{kAivQueue, 0, kComm});
  REQUIRE(sets_of(order)[4] == WorkerSet{kAivQueue, 0, kLimit});
  REQUIRE(sets_of(order)[1] == WorkerSet{kAicQueue, 0, kAic});
}

TEST_CASE("A pool of another graph's operators takes no workers") {
  OrderSpec order =
      order_with_pools({{"backward", {"Dispatch_bwd"}, kAiv}, {"comm", {"Combine", "Combine_bwd"}, 10}},
                       {{"Dispatch_bwd", 5}});
  order.elsewhere = {"Dispatch_bwd", "Combine_bwd"};
  REQUIRE(sets_of(order)[4] == WorkerSet{kAivQueue, 0, 10});
  REQUIRE(sets_of(order)[0] == WorkerSet{kAivQueue, 10, kAiv - 10});
}

TEST_CASE("A pattern fits names as a shell's does") {
  struct Case {
    const char *name, *pattern;
    bool fits;
  };
  const Case cases[] = {{"GMM1", "GMM1", true},
                        {"GMM1", "GMM", false},
                        {"GMM", "GMM1", false},
                        {"GMM1", "GMM*", true},
                        {"GMM", "GMM*", true},
                        {"XGMM", "GMM*", false},
                        {"GMM1", "GMM?", true},
                        {"GMM", "GMM?", false},
                        {"GMM12", "GMM?", false},
                        {"Combine_bwd", "*_bwd", true},
                        {"Combine", "*_bwd", false},
                        {"abcabd", "*ab?", true},
                        {"abcabd", "a*b*d", true},
                        {"abcabd", "a*d*b", false},
                        {"", "*", true},
                        {"", "?", false},
                        {"a", "", false}};
  for (const Case& c : cases) {
    CAPTURE(c.name, c.pattern);
    CHECK(fits(c.name, c.pattern) == c.fits);
  }
}

TEST_CASE("Pools and limits name operators by name, by pattern and by type") {
  const WorkerSet comm{kAivQueue, 0, 16}, rest{kAivQueue, 16, kAiv - 16}, cubes{kAicQueue, 0, kAic};
  const std::vector<WorkerSet> expected{comm, cubes, rest, cubes, comm};
  REQUIRE(sets_of(order_with_pools({{"comm", {"Dispatch*", "Comb*ne"}, 16}})) == expected);
  REQUIRE(sets_of(order_with_pools({{"comm", {"Dispatch*", "Dispatch", "Combine"}, 16}})) == expected);
  const std::vector<WorkerSet> limited = sets_of(order_with_pools({}, {{"GroupedMatmul", 9}, {"GMM2", 3}}));
  REQUIRE(limited[1] == WorkerSet{kAicQueue, 0, 9});
  REQUIRE(limited[3] == WorkerSet{kAicQueue, 0, 3});  // the smaller one
  // A name of the order's graphs is no type, wherever that operator is.
  OrderSpec order = order_with_pools({{"comm", {"GroupedMatmul"}, 5}});
  order.elsewhere = {"GroupedMatmul"};
  REQUIRE(sets_of(order)[1] == cubes);
}

TEST_CASE("A pattern of another graph's names, and a type that this one lacks, mean none of its operators") {
  OrderSpec order = order_with_pools({{"back", {"*_bwd", "GroupedMatmulWeightGrad"}, 50}});
  order.elsewhere = {"Dispatch_bwd"};
  REQUIRE(sets_of(order)[0] == WorkerSet{kAivQueue, 0, kAiv});
  order.elsewhere.clear();
  REQUIRE(pools_error(order) ==
          "mine.yaml:1:1: order 'mine': pool 'back': no operator's name fits '*_bwd'; known: Dispatch, GMM1, "
          "SwiGLU, GMM2, Combine");
}

TEST_CASE("Pools and limits that cannot be met are refused") {
  const std::string where = "mine.yaml:1:1: order 'mine': ";
  REQUIRE(pools_error(order_with_pools({{"comm", {"Dispach"}, 10}})) ==
          where + "pool 'comm': unknown operator 'Dispach'; did you mean 'Dispatch'?");
  REQUIRE(pools_error(order_with_pools({}, {{"Xyz", 1}})) ==
          where + "limit: unknown operator 'Xyz'; known: Dispatch, GMM1, SwiGLU, GMM2, Combine");
  REQUIRE(pools_error(order_with_pools({}, {{"GMM1", 0}})) ==
          where + "limit: operator 'GMM1' could never run");
  REQUIRE(pools_error(order_with_pools({{"a", {"Dispatch"}, 0}})) == where + "pool 'a' has no workers");
  REQUIRE(pools_error(order_with_pools({{"a", {"Dispatch"}, 10}, {"b", {"Dispatch"}, 10}})) ==
          where + "pool 'b': operator 'Dispatch' stands in a pool already");
  REQUIRE(pools_error(order_with_pools({{"a", {"Dispatch", "GMM1"}, 10}})) ==
          where + "pool 'a': 'GMM1' is of the CTQ, the operators before it of the VTQ");
  REQUIRE(pools_error(order_with_pools({{"a", {"Dispatch"}, 30}, {"b", {"Combine"}, 21}})) ==
          where + "pool 'b' takes 21 workers of the VTQ, 20 of 50 are left");
  REQUIRE(pools_error(order_with_pools({}), aic_and_aiv(0, 50)) ==
          where + "no worker of the CTQ is left for operator 'GMM1': pools take 0 of 0");
}
