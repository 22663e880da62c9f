#include <catch2/catch.hpp>

#include "tests/machine/ideal_machine.h"

using namespace a3sim;

TEST_CASE("without the unit flag a block's result leaves L0C before the next block begins") {
  constexpr std::uint32_t kBlocks = 3;
  Hardware hardware = ideal_machine();
  hardware.cube.l0c_to_gm = 64;
  const CostModel cost(hardware, kIdealProgram);
  const std::int64_t cube = 128 * 256 * 512 / kMacsPerCycle, out = 128 * 256 * kElement / 64;
  Work work = matmul(128 * kBlocks, 256, 512);
  work.tiling.unit_flag = UnitFlag::kOff;
  CHECK(cycles(cost.least(work)) == kBlocks * (cube + out) + 1);
}

TEST_CASE("the shares of a product move all of its bytes once") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(1000, 3000, 700);
  const std::vector<PortionJob> whole = jobs_of(cost, work);
  work.shares = 7;
  std::vector<PortionJob> parts;
  for (work.share = 0; work.share < work.shares; ++work.share) {
    for (const PortionJob& job : jobs_of(cost, work)) parts.push_back(job);
  }
  for (std::uint32_t r = 0; r < kResources; ++r) {
    CHECK(bytes(parts, Resource{static_cast<std::uint8_t>(r)}) ==
          Approx(bytes(whole, Resource{static_cast<std::uint8_t>(r)})));
  }
}

TEST_CASE("shares that count on from product to product take all blocks of all products once") {
  Work work = matmul(300, 300, 64);
  work.gemms.push_back({128, 2000, 64, 0, 0, 0});
  work.gemms.push_back({0, 300, 64, 0, 0, 0});
  work.gemms.push_back({400, 100, 64, 0, 0, 0});
  const std::uint64_t all = work.macs();
  for (const bool count_on : {false, true}) {
    work.count_on = count_on;
    work.shares = 5;
    std::uint64_t macs = 0, most = 0, blocks = 0;
    for (work.share = 0; work.share < work.shares; ++work.share) {
      std::uint64_t own = 0;
      for (BlockWalk walk(work); !walk.done(); walk.next()) ++own;
      macs += work.macs();
      most = std::max(most, own);
      blocks += own;
    }
    CHECK(macs == all);
    CHECK(blocks == 6 + 8 + 4);
    if (count_on) CHECK(most == (blocks + 4) / 5);
    work.shares = 1;
    work.share = 0;
  }
}

TEST_CASE("a matrix task reads its operands with every block and writes its result once") {
  constexpr std::uint32_t kM = 256, kN = 512, kK = 1024;
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  const std::vector<PortionJob> jobs = jobs_of(cost, matmul(kM, kN, kK));
  constexpr double kBlocks = 2 * 2;
  CHECK(jobs.size() == kBlocks);
  CHECK(bytes(jobs, Resource::kL2Read) == kBlocks * kElement * kK * (128 + 256));
  CHECK(bytes(jobs, Resource::kL2Write) == kElement * kM * kN);
  CHECK(bytes(jobs, Resource::kHbm) == 0);
}

TEST_CASE("a long K is several portions, of which the last brings the result out") {
  constexpr std::uint32_t kK = 20'000;
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  const std::vector<PortionJob> jobs = jobs_of(cost, matmul(128, 256, kK));
  CHECK(jobs.size() == 3);
  CHECK(bytes(jobs, Resource::kL2Read) == kElement * (128.0 + 256) * kK);
  CHECK(bytes(jobs, Resource::kL2Write) == kElement * 128 * 256);
}

TEST_CASE("a product without rows of K only writes") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  const std::vector<PortionJob> jobs = jobs_of(cost, matmul(128, 256, 0));
  CHECK(bytes(jobs, Resource::kL2Read) == 0);
  CHECK(bytes(jobs, Resource::kL2Write) == 2 * 128 * 256);
  CHECK(cost.arithmetic(matmul(128, 256, 0)) == Duration::zero());
}

TEST_CASE("vector work goes at the pace of the slowest of load, arithmetic and store, after its start-up") {
  constexpr std::uint32_t kStartup = 35, kRows = 100;
  constexpr std::uint64_t kRead = 640 * kRows, kWrite = 320 * kRows, kElements = 16'000;
  Hardware hardware = ideal_machine();
  hardware.vector.startup_cycles = kStartup;
  hardware.vector.unaligned = 1;
  Work work;
  work.kind = WorkKind::kVector;
  work.streams = {{TensorId{0}, RankId{0}, {0, kRows}, kRead, false},
                  {TensorId{1}, RankId{0}, {0, kRows}, kWrite, true}};
  work.ops = {kElements, 2 * kElements, kElements};
  const CostModel cost(hardware, kIdealProgram);
  SECTION("load") { hardware.vector.gm_to_ub = 64; }
  SECTION("store") { hardware.vector.ub_to_gm = 32; }
  SECTION("arithmetic, its classes one after the other") {
    hardware.vector.simple_fp32 = 64;     // 250 cycles
    hardware.vector.convert = 64;         // 500
    hardware.vector.transcendental = 64;  // 250
  }
  SECTION("load in parts that fill the UB") {
    hardware.vector.gm_to_ub = 64;
    hardware.vector.ub = Bytes{(kRead + kWrite) / 4};
    CHECK(jobs_of(cost, work).size() == 4);
    CHECK(bytes(jobs_of(cost, work), Resource::kL2Read) == kRead);
  }
  CHECK(cycles(cost.least(work)) == Approx(kStartup + 1000).margin(1));
}

TEST_CASE("what a cube accesses is said to be a cube's, what a vector accesses a vector's") {
  const Hardware hardware = ideal_machine();
  Work vector;
  vector.kind = WorkKind::kVector;
  vector.streams = {{TensorId{0}, RankId{0}, {0, 8}, 512, false}};
  for (const Work& work : {matmul(128, 256, 64), vector}) {
    TaskPortions portions;
    TaskPortion portion;
    portions.start(work, hardware);
    REQUIRE(portions.next(portion));
    const bool cube = work.kind == WorkKind::kCube;
    for (const TensorAccess& access : portion.all())
      CHECK(access.l2.unit == (cube ? CoreUnit::kMatrix : CoreUnit::kVector));
  }
}

TEST_CASE("no work takes no time") {
  const Hardware hardware = ideal_machine();
  CHECK(CostModel(hardware, kIdealProgram).least(Work{}) == Duration::zero());
}
