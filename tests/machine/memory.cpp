#include "sim/memory/memory.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace a3sim;

namespace {

using Rates = std::array<double, kResources>;

constexpr std::uint32_t kL2R = 0, kL2W = 1, kHbm = 2;
constexpr double kTera = 1e12;  // one byte a picosecond
const Rates kCapacity{40 * kTera, 40 * kTera, 10 * kTera};

Time after(std::int64_t ps) { return Time(Duration(ps)); }

std::int64_t total(const MemoryLoss& loss) {
  std::int64_t sum = 0;
  for (Duration d : loss.lost) sum += d.count();
  return sum;
}

// A job that takes `ideal` picoseconds alone and then moves `rates` bytes a picosecond.
MemoryJob job(std::int64_t ideal, Rates rates) {
  for (double& r : rates) r *= static_cast<double>(ideal);
  return {Duration(ideal), rates};
}

}  // namespace

TEST_CASE("a job alone takes its ideal time and loses nothing") {
  Memory memory(kCapacity, 4);
  std::vector<std::uint32_t> ended;
  memory.start(after(5), 2, job(1000, {40, 0, 10}));
  CHECK(memory.settle(after(5)) == after(1005));
  memory.advance(after(1004), ended);
  CHECK(ended.empty());
  memory.advance(after(1005), ended);
  CHECK(ended == std::vector<std::uint32_t>{2});
  CHECK(total(memory.loss(2)) == 0);
  CHECK(memory.moved() == Rates{40000, 0, 10000});
  CHECK(memory.settle(after(1005)) == Time::max());
}

TEST_CASE("n equal jobs on one resource take n times as long when each alone would fill it") {
  for (std::uint32_t n : {1, 2, 3, 7, 50}) {
    Memory memory(kCapacity, 50);
    std::vector<std::uint32_t> ended;
    const std::int64_t ideal = 1'000'000;
    for (std::uint32_t i = 0; i < n; ++i) memory.start(after(0), i, job(ideal, {10, 0, 10}));
    CHECK(memory.settle(after(0)) == after(ideal * n));
    memory.advance(after(ideal * n), ended);
    REQUIRE(ended.size() == n);
    for (std::uint32_t i = 0; i < n; ++i) {
      CHECK(ended[i] == i);
      CHECK(memory.loss(i).lost[kHbm] == Duration(ideal * (n - 1)));
      CHECK(total(memory.loss(i)) == ideal * (n - 1));
    }
  }
}

TEST_CASE("a job that is not limited keeps its full speed beside one that is") {
  Memory memory(kCapacity, 4);
  // Two readers of HBM want 8 + 8 of 10; the third works in L2 only.
  memory.start(after(0), 0, job(1000, {8, 0, 8}));
  memory.start(after(0), 1, job(1000, {8, 0, 8}));
  memory.start(after(0), 2, job(1000, {20, 4, 0}));
  memory.start(after(0), 3, job(1000, {}));
  CHECK(memory.settle(after(0)) == after(1000));
  CHECK(memory.speed(2) == 1);
  CHECK(memory.speed(3) == 1);
  std::vector<std::uint32_t> ended;
  memory.advance(after(1000), ended);
  CHECK(ended == std::vector<std::uint32_t>{2, 3});
  CHECK(total(memory.loss(2)) == 0);
  CHECK(memory.settle(after(1000)) == after(1600));  // 1000 · (8 + 8) / 10
}

TEST_CASE("a small job gets all it asks for and the large ones share the rest") {
  Memory memory(kCapacity, 3);
  memory.start(after(0), 0, job(1000, {2, 0, 2}));
  memory.start(after(0), 1, job(1000, {8, 0, 8}));
  memory.start(after(0), 2, job(1000, {16, 0, 8}));  // weighs by its L2 bytes: HBM rate 8/16 of its fair rate
  memory.settle(after(0));
  CHECK(memory.speed(0) == 1);
  // 8 = f + f/2 for the fair L2 rate f.
  const double f = 8.0 / 1.5;
  CHECK(memory.speed(1) == Approx(f / 8).epsilon(1e-12));
  CHECK(memory.speed(2) == Approx(f / 16).epsilon(1e-12));
}

TEST_CASE("each job is bound by the first of its resources to fill, and the others go on rising") {
  Memory memory(kCapacity, 3);
  memory.start(after(0), 0, job(1200, {40, 0, 0}));   // L2 reads, 40 in all
  memory.start(after(0), 1, job(1200, {40, 0, 0}));   // both get 20
  memory.start(after(0), 2, job(1200, {0, 12, 12}));  // of 10 of HBM
  CHECK(memory.settle(after(0)) == after(1440));
  CHECK(memory.speed(0) == 0.5);
  CHECK(memory.speed(1) == 0.5);
  CHECK(memory.speed(2) == Approx(10.0 / 12).epsilon(1e-12));
  CHECK(memory.left(after(720), 2) == Approx(0.5).epsilon(1e-12));
  std::vector<std::uint32_t> ended;
  memory.advance(after(1440), ended);
  memory.settle(after(1440));
  memory.advance(after(2400), ended);
  REQUIRE(ended.size() == 3);
  CHECK(memory.left(after(2400), 2) == 0);
  CHECK(memory.loss(0).lost[kL2R] == Duration(1200));
  CHECK(memory.loss(2).lost[kHbm] == Duration(240));
}

TEST_CASE("losses go to the resource that binds at the time") {
  Memory memory(kCapacity, 3);
  std::vector<std::uint32_t> ended;
  memory.start(after(0), 0, job(3000, {20, 0, 5}));
  memory.start(after(0), 1, job(1000, {40, 0, 0}));  // L2: 40 for 20 + 40, each 20: job 0 keeps its speed
  CHECK(memory.settle(after(0)) == after(2000));
  CHECK(memory.speed(0) == 1);
  memory.advance(after(2000), ended);
  memory.start(after(2000), 1, job(1000, {20, 0, 10}));  // HBM: 10 for 5 + 10 with weights 5/20 and 10/20
  memory.start(after(2000), 2, job(100, {0, 40, 0}));
  memory.settle(after(2000));
  // The fair L2 rate f: f/4 + f/2 = 10, f = 40/3: speed 2/3 for both.
  CHECK(memory.speed(0) == Approx(2.0 / 3).epsilon(1e-12));
  CHECK(memory.speed(1) == Approx(2.0 / 3).epsilon(1e-12));
  ended.clear();
  memory.advance(after(2100), ended);
  CHECK(ended == std::vector<std::uint32_t>{2});
  CHECK(memory.settle(after(2100)) == after(3500));
  memory.advance(after(3500), ended);
  CHECK(memory.loss(0).lost[kHbm] == Duration(500));
  CHECK(memory.loss(0).lost[kL2R] == Duration(0));
  CHECK(memory.loss(0).lost[kL2W] == Duration(0));
}

TEST_CASE("reserved rates are served first, and jobs keep a hundredth when all is reserved") {
  Memory memory(kCapacity, 1);
  memory.reserve(after(0), {0, 0, 5 * kTera});
  memory.start(after(0), 0, job(1000, {10, 0, 10}));
  CHECK(memory.settle(after(0)) == after(2000));
  memory.reserve(after(1000), {0, 0, 12 * kTera});  // half is left; at a hundredth of the speed
  CHECK(memory.settle(after(1000)) == after(1000 + 500 * 100));
  memory.reserve(after(2000), {});  // 490 of 1000 left
  CHECK(memory.settle(after(2000)) == after(2490));
  std::vector<std::uint32_t> ended;
  memory.advance(after(2490), ended);
  CHECK(memory.loss(0).lost[kHbm] == Duration(2490 - 1000));
}

TEST_CASE("times of ends are rounded up to whole picoseconds") {
  Memory memory(kCapacity, 3);
  for (std::uint32_t i = 0; i < 3; ++i) memory.start(after(0), i, job(100, {7, 0, 7}));
  CHECK(memory.settle(after(0)) == after(210));  // 100 · 21 / 10
  std::vector<std::uint32_t> ended;
  memory.advance(after(210), ended);
  for (std::uint32_t i = 0; i < 3; ++i) memory.start(after(210), i, job(101, {7, 0, 7}));
  CHECK(memory.settle(after(210)) == after(210 + 213));  // 212.1
}

TEST_CASE("the memory refuses calls that break its contract") {
  Memory memory(kCapacity, 2);
  std::vector<std::uint32_t> ended;
  CHECK_THROWS_AS(memory.start(after(0), 2, job(1, {})), std::logic_error);
  CHECK_THROWS_AS(memory.start(after(0), 0, job(0, {})), std::logic_error);
  CHECK_THROWS_AS(Memory({0, 1, 1}, 2), std::logic_error);
  memory.start(after(0), 0, job(10, {}));
  CHECK_THROWS_AS(memory.start(after(0), 0, job(10, {})), std::logic_error);
  CHECK_THROWS_AS(memory.start(after(1), 1, job(10, {})), std::logic_error);  // not settled at 0
  CHECK_THROWS_AS(memory.settle(after(1)), std::logic_error);                 // neither is that
  memory.settle(after(0));
  CHECK_THROWS_AS(memory.start(after(10), 1, job(10, {})),
                  std::logic_error);  // the end at 10 was not taken
  memory.advance(after(10), ended);
  memory.start(after(10), 1, job(10, {}));
  memory.settle(after(10));
  CHECK_THROWS_AS(memory.start(after(9), 0, job(10, {})), std::logic_error);
}
