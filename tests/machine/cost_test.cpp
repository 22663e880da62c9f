#include "sim/device/cost.h"

#include <catch2/catch.hpp>

using namespace a3sim;

namespace {

constexpr Hertz kOneGigahertz{1'000'000'000};
constexpr Duration kCycle = 1_ns;
constexpr std::uint32_t kFractal = 16;
constexpr std::uint32_t kMacsPerCycle = kFractal * kFractal * kFractal;

// A machine on which everything but what a test sets is too fast to matter.
Hardware ideal_machine() {
  constexpr double kFast = 1e12;
  Hardware hardware{};
  hardware.clock = kOneGigahertz;
  hardware.cube = {kMacsPerCycle, kMacsPerCycle / 4, kMacsPerCycle * 2, 0, kFast, kFast, kFast, kFast};
  hardware.vector = {kFast, kFast, kFast, 0, kFast, kFast};
  return hardware;
}

Work matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  Work work;
  work.kind = WorkKind::kCube;
  work.gemms = {{m, n, k, 0, 0, 0}};
  return work;
}

std::int64_t cycles(Duration time) { return (time + kCycle - 1_ps) / kCycle; }  // rounds a rest of kFast up

double bytes(const MemoryJob& job, Resource resource) {
  return job.bytes[static_cast<std::size_t>(resource)];
}

}  // namespace

TEST_CASE("a base block takes one cycle for every 16 x 16 x 16 products") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware);
  CHECK(cost.arithmetic(matmul(128, 256, 512)) == 128 * 256 * 512 / kMacsPerCycle * kCycle);
}

TEST_CASE("edges are padded to the cube's 16 x 16 x 16 steps") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware);
  CHECK(cost.arithmetic(matmul(1, 1, 1)) == kCycle);
  CHECK(cost.arithmetic(matmul(17, 16, 16)) == 2 * kCycle);
  CHECK(cost.arithmetic(matmul(16, 33, 17)) == 3 * 2 * kCycle);
}

TEST_CASE("data types run at their own rates") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware);
  Work work = matmul(128, 256, 512);
  const Duration in_16_bits = cost.arithmetic(work);
  work.dtype = DataType::kFp32;
  CHECK(cost.arithmetic(work) == 4 * in_16_bits);
  work.dtype = DataType::kInt8;
  CHECK(2 * cost.arithmetic(work) == in_16_bits);
}

TEST_CASE("mads with their heads take the cycles that were measured on the cube") {
  // 128 x 256 x 512 and 128 x 128 x 512 in eight mads each: 4209 to 4225 and 2172 cycles (AscendC
  // documentation).
  Hardware hardware = ideal_machine();
  hardware.cube.mad_head_cycles = 15;
  const CostModel cost(hardware);
  Work work = matmul(128, 256, 512);
  CHECK(cycles(cost.cost(work).ideal) >= 4209);
  CHECK(cycles(cost.cost(work).ideal) <= 4225);
  work = matmul(128, 128, 512);
  CHECK(cycles(cost.cost(work).ideal) == Approx(2172).margin(8));
}

TEST_CASE("a block goes at the pace of the slowest of cube, loads to L1 and loads to L0") {
  constexpr std::uint32_t kM = 128, kN = 256, kK = 4096, kElement = 2;
  constexpr std::int64_t kCube = std::int64_t{kM} * kN * kK / kMacsPerCycle;
  Hardware hardware = ideal_machine();
  Work work = matmul(kM, kN, kK);
  work.tiling.base_k = 64;
  SECTION("the cube") {
    const CostModel cost(hardware);
    CHECK(cycles(cost.cost(work).ideal) == kCube + 1);  // and a rest of the fast loads, rounded up
  }
  SECTION("loads to L1, of which the first is hidden by nothing") {
    hardware.cube.gm_to_l1 = 32;
    const CostModel cost(hardware);
    const std::int64_t first = (kM + kN) * kElement * 64 * work.tiling.step_k / 32;
    const std::int64_t all = std::int64_t{kM + kN} * kElement * kK / 32;
    CHECK(all > kCube);
    CHECK(cycles(cost.cost(work).ideal) == first + all + 1);
  }
  SECTION("loads to L0, one operand after the other") {
    hardware.cube.l1_to_l0a = 64;
    hardware.cube.l1_to_l0b = 32;
    const CostModel cost(hardware);
    const std::int64_t all = std::int64_t{kK} * kElement * (kM / 64 + kN / 32);
    CHECK(all > kCube);
    CHECK(cycles(cost.cost(work).ideal) == all + 1);
  }
}

TEST_CASE("a block's result leaves L0C before the next block begins") {
  constexpr std::uint32_t kElement = 2, kBlocks = 3;
  Hardware hardware = ideal_machine();
  hardware.cube.l0c_to_gm = 64;
  const CostModel cost(hardware);
  const std::int64_t cube = 128 * 256 * 512 / kMacsPerCycle, out = 128 * 256 * kElement / 64;
  CHECK(cycles(cost.cost(matmul(128 * kBlocks, 256, 512)).ideal) == kBlocks * (cube + out) + 1);
}

TEST_CASE("the shares of a product do all of its work once") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware);
  Work work = matmul(1000, 3000, 700);
  const MemoryJob whole = cost.cost(work);
  work.shares = 7;
  MemoryJob sum;
  for (work.share = 0; work.share < work.shares; ++work.share) {
    const MemoryJob part = cost.cost(work);
    for (std::size_t r = 0; r < kResources; ++r) sum.bytes[r] += part.bytes[r];
  }
  for (std::size_t r = 0; r < kResources; ++r) CHECK(sum.bytes[r] == Approx(whole.bytes[r]));
}

TEST_CASE("a matrix task reads each operand from HBM once, and from L2 with every block") {
  constexpr std::uint32_t kElement = 2, kM = 256, kN = 512, kK = 1024;
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware);
  const MemoryJob job = cost.cost(matmul(kM, kN, kK));
  constexpr double kBlocks = 2 * 2;
  CHECK(bytes(job, Resource::kHbmRead) == kElement * kK * (kM + kN));
  CHECK(bytes(job, Resource::kL2Read) == kBlocks * kElement * kK * (128 + 256));
  CHECK(bytes(job, Resource::kL2Write) == kElement * kM * kN);
  CHECK(bytes(job, Resource::kHbm) == kElement * (kK * (kM + kN) + kM * kN));
}

TEST_CASE("a product without rows of K only writes") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware);
  const MemoryJob job = cost.cost(matmul(128, 256, 0));
  CHECK(bytes(job, Resource::kL2Read) == 0);
  CHECK(bytes(job, Resource::kL2Write) == 2 * 128 * 256);
  CHECK(cost.arithmetic(matmul(128, 256, 0)) == Duration::zero());
}

TEST_CASE("vector work goes at the pace of the slowest of load, arithmetic and store, after its start-up") {
  constexpr std::uint32_t kStartup = 35;
  constexpr std::uint64_t kRead = 64'000, kWrite = 32'000, kElements = 16'000;
  Hardware hardware = ideal_machine();
  hardware.vector.startup_cycles = kStartup;
  Work work;
  work.kind = WorkKind::kVector;
  work.streams = {{TensorId{0}, RankId{0}, {0, 1}, kRead, false, false},
                  {TensorId{1}, RankId{0}, {0, 1}, kWrite, true, false}};
  work.ops = {kElements, 2 * kElements, kElements};
  SECTION("load") { hardware.vector.gm_to_ub = 64; }
  SECTION("store") { hardware.vector.ub_to_gm = 32; }
  SECTION("arithmetic, its classes one after the other") {
    hardware.vector.simple_fp32 = 64;     // 250 cycles
    hardware.vector.convert = 64;         // 500
    hardware.vector.transcendental = 64;  // 250
  }
  const CostModel cost(hardware);
  CHECK(cycles(cost.cost(work).ideal) == Approx(kStartup + 1000).margin(1));
}

TEST_CASE("no work takes no time") {
  const Hardware hardware = ideal_machine();
  CHECK(CostModel(hardware).cost(Work{}).ideal == Duration::zero());
}
