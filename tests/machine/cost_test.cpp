#include <catch2/catch.hpp>

#include "tests/machine/ideal_machine.h"

using namespace a3sim;

TEST_CASE("a base block takes one cycle for every 16 x 16 x 16 products") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  CHECK(cost.arithmetic(matmul(128, 256, 512)) == 128 * 256 * 512 / kMacsPerCycle * kCycle);
}

TEST_CASE("edges are padded to the cube's 16 x 16 x 16 steps") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  CHECK(cost.arithmetic(matmul(1, 1, 1)) == kCycle);
  CHECK(cost.arithmetic(matmul(17, 16, 16)) == 2 * kCycle);
  CHECK(cost.arithmetic(matmul(16, 33, 17)) == 3 * 2 * kCycle);
}

TEST_CASE("data types run at their own rates") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(128, 256, 512);
  const Duration in_16_bits = cost.arithmetic(work);
  work.dtype = work.weights = DataType::kFp32;
  CHECK(cost.arithmetic(work) == 4 * in_16_bits);
  work.dtype = work.weights = DataType::kInt8;
  CHECK(2 * cost.arithmetic(work) == in_16_bits);
}

TEST_CASE("mads with their heads take the cycles that were measured on the cube") {
  // 128 x 256 x 512 and 128 x 128 x 512 in eight mads each:
  // 4209 to 4225 and 2172 cycles (AscendC documentation).
  Hardware hardware = ideal_machine();
  hardware.cube.mad_head_cycles = 15;
  const CostModel cost(hardware, kIdealProgram);
  CHECK(cycles(cost.least(matmul(128, 256, 512))) >= 4209);
  CHECK(cycles(cost.least(matmul(128, 256, 512))) <= 4225);
  CHECK(cycles(cost.least(matmul(128, 128, 512))) == Approx(2172).margin(8));
}

// What block_cycles() gives in closed form, by walking through the stages of many blocks.
TEST_CASE("a pipeline's block takes what walking through its loads and computations says") {
  const Tiling tiling;
  for (const std::uint32_t stages : {1U, 2U, 3U, 4U, 7U, 28U}) {
    for (const double load : {1.0, 90.0, 100.0, 110.0, 300.0}) {
      for (const double drain : {0.0, 40.0, 170.0, 900.0}) {
        constexpr double kCompute = 100;
        constexpr std::uint32_t kBlocks = 60;
        // A load goes into the buffer of the stage two before, which must have been computed.
        double loaded = 0, computed = 0, before = 0, first_end = 0, half_end = 0;
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
          for (std::uint32_t s = 0; s < stages; ++s) {
            const double buffer_free = before;
            before = s == 0 && block > 0 ? computed - drain : computed;  // L0C drains after the last stage
            loaded = std::max(loaded, buffer_free) + load;
            computed = std::max(loaded, computed) + kCompute;
          }
          computed += drain;
          if (block == 0) first_end = computed;
          if (block == kBlocks / 2 - 1) half_end = computed;
        }
        INFO(stages << " stages, load " << load << ", drain " << drain);
        CHECK(block_cycles(stages, load, kCompute, drain, tiling, false, true) == Approx(first_end));
        CHECK(block_cycles(stages, load, kCompute, drain, tiling, false, false) ==
              Approx((computed - half_end) / (kBlocks / 2)));
      }
    }
  }
}

TEST_CASE("with one buffer everywhere loads, computation and the way out follow each other") {
  const Tiling tiling{.l1_buffers = 1};
  CHECK(block_cycles(4, 10, 20, 5, tiling, false, false) == 4 * (10 + 20) + 5);
  const Tiling two_results{.l0c_buffers = 2};
  CHECK(block_cycles(4, 10, 20, 5, two_results, false, false) == 4 * 20);
  CHECK(block_cycles(4, 10, 20, 500, two_results, false, false) == 500);
}

TEST_CASE("a block goes at the pace of the slowest of cube, loads to L1 and loads to L0") {
  constexpr std::uint32_t kM = 128, kN = 256, kK = 4096;
  constexpr std::int64_t kCube = std::int64_t{kM} * kN * kK / kMacsPerCycle;
  Hardware hardware = ideal_machine();
  const Work work = matmul(kM, kN, kK);
  const CostModel cost(hardware, kIdealProgram);
  SECTION("the cube") { CHECK(cycles(cost.least(work)) == kCube + 1); }  // a rest of the fast loads
  SECTION("loads to L1; the cube's last stage is hidden by nothing") {
    hardware.cube.gm_to_l1 = 32;
    const std::int64_t all = std::int64_t{kM + kN} * kElement * kK / 32;
    CHECK(all > kCube);
    CHECK(cycles(cost.least(work)) == Approx(all + kCube / 16).margin(1));
  }
  SECTION("loads to L1, and what it takes to issue them") {
    hardware.cube.gm_to_l1 = 32;
    hardware.cube.load_issue_cycles = 20;
    const std::int64_t all = std::int64_t{kM + kN} * kElement * kK / 32 + 16 * 2 * 20;
    CHECK(cycles(cost.least(work)) == Approx(all + kCube / 16).margin(1));
  }
  SECTION("loads to L0, one operand after the other") {
    hardware.cube.l1_to_l0a = 64;
    hardware.cube.l1_to_l0b = 32;
    const std::int64_t all = std::int64_t{kK} * kElement * (kM / 64 + kN / 32);
    CHECK(all > kCube);
    CHECK(cycles(cost.least(work)) == all + 1);
  }
}

TEST_CASE("rows that do not begin at a line are loaded at their part of the rate") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 1;
  hardware.cube.unaligned = 0.5;
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(16, 16, 16);
  const std::int64_t aligned = cycles(cost.least(work));
  work.a_pitch = work.b_pitch = kL2Line + 2;
  CHECK(cycles(cost.least(work)) - 1 == Approx(2 * (aligned - 1)).margin(1));
}

TEST_CASE("what the L2 has to fetch is loaded at the rate of misses, and counted as such") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 50;
  hardware.cube.gm_to_l1_miss = 10;
  const CostModel cost(hardware, kIdealProgram);
  const Work work = matmul(128, 256, 512);
  const TaskPortion portion = first_portion(work, hardware);
  PortionTraffic traffic;
  traffic.slow = {128 * 512 * kElement, 0};
  traffic.hbm = hardware.memory.as_reads(1000, 500);
  const PortionJob job = cost.job(work, portion, traffic);
  const double extra = 128 * 512 * kElement * (1.0 / 10 - 1.0 / 50);
  CHECK(seconds(job.missing) == Approx(extra * 1e-9).epsilon(1e-3));
  CHECK(job.memory.bytes[static_cast<std::size_t>(Resource::kHbm)] ==
        1000 + 500 * 2);  // a write takes two reads
}

TEST_CASE("rows that do not begin at a line are fetched at their part of the rate, too") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 50;
  hardware.cube.gm_to_l1_miss = 10;
  hardware.cube.unaligned = 0.5;
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(128, 256, 512);
  work.a_pitch = kL2Line + 2;
  const TaskPortion portion = first_portion(work, hardware);
  PortionTraffic traffic;
  traffic.slow = {128 * 512 * kElement, 0};
  const double extra = 128 * 512 * kElement * (1.0 / 5 - 1.0 / 25);
  CHECK(seconds(cost.job(work, portion, traffic).missing) == Approx(extra * 1e-9).epsilon(1e-3));
  CHECK(cost.part_of_rate(portion, portion.accesses[0]) == 0.5);
  CHECK(cost.part_of_rate(portion, portion.accesses[1]) == 1);
}

TEST_CASE("no more cores read a line than there are") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 100;
  hardware.memory.l2_line_read = {200 * kOneGigahertz.count};
  Work work = matmul(128, 256 * 8, 512);
  work.shares = 8;
  work.tiling.order = BlockOrder::kRowMajor;
  const std::int64_t eight = cycles(CostModel(hardware, kIdealProgram).least(work));
  hardware.workers.kind(CoreUnit::kMatrix).count = 2;
  CHECK(cycles(CostModel(hardware, kIdealProgram).least(work)) < eight);
}

TEST_CASE("with one buffer in L1 the way out of L0C is as long as with two, or longer") {
  Hardware hardware = ideal_machine();
  hardware.cube.l0c_to_gm = 1;
  Work work = matmul(128, 128, 256);
  work.tiling.l1_buffers = 1;
  work.tiling.l0c_buffers = 2;
  const std::int64_t two = cycles(CostModel(hardware, kIdealProgram).least(work));
  work.tiling.l0c_buffers = 1;
  CHECK(two == cycles(CostModel(hardware, kIdealProgram).least(work)));  // one block: nothing to overlap with
  CHECK(two >= 128 * 128 * kElement);
}

TEST_CASE("cores that read the same lines share what the L2 gives of them") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 100;
  hardware.memory.l2_line_read = {200 * kOneGigahertz.count};
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(128, 256 * 8, 512);
  work.shares = 8;
  work.tiling.order = BlockOrder::kRowMajor;  // all eight read the same rows
  const double a = 128 * 512 * kElement, b = 256 * 512 * kElement, stages = 2;
  const double all = a / (200.0 / 8) + b / 100 + 128 * 256 * 512 / (1.0 * kMacsPerCycle) / stages;
  CHECK(cycles(cost.least(work)) == Approx(all).margin(1));
}

TEST_CASE("short rows are loaded at their part of the rate, and what lies between at what lies between") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 1;
  hardware.cube.rows_256 = 0.8;
  hardware.cube.rows_128 = 0.5;
  const CostModel cost(hardware, kIdealProgram);
  constexpr std::int64_t kPanel = std::int64_t{256} * 1024 * kElement;  // of A as of B
  const auto loads = [&](std::uint16_t base_m, bool a_transposed) {
    Work work = matmul(256, 256, 1024);
    work.tiling.base_m = base_m;
    work.tiling.base_n = 256;
    work.a_transposed = a_transposed;
    std::int64_t sum = 0;  // a load of B for each block of rows
    for (const PortionJob& job : jobs_of(cost, work)) sum += cycles(job.memory.ideal);
    return static_cast<double>(sum) / kPanel;
  };
  const double compute = 0.02;                                                    // beside the loads, at most
  CHECK(loads(256, false) == Approx(1 + 1).margin(compute));                      // rows of 512 bytes
  CHECK(loads(256, true) == Approx(1 + 1).margin(compute));                       // of A's columns as well
  CHECK(loads(128, true) == Approx(1 / 0.8 + 2).margin(compute));                 // 256 bytes
  CHECK(loads(64, true) == Approx(1 / 0.5 + 4).margin(compute));                  // 128 bytes
  CHECK(loads(32, true) == Approx(1 + 7.0 / 3 * (1 / 0.5 - 1) + 8).margin(0.7));  // 64 bytes: on from there
}

TEST_CASE("a block's way out overlaps the next block where the unit flag is set, in its own type") {
  Hardware hardware = ideal_machine();
  hardware.cube.l0c_to_gm = 8;
  const CostModel cost(hardware, kIdealProgram);
  const auto time = [&](UnitFlag flag, bool a_transposed, DataType result) {
    Work work = matmul(16 * 128, 256, 1024);  // sixteen blocks
    work.tiling.unit_flag = flag;
    work.a_transposed = a_transposed;
    work.result = result;
    return cycles(cost.least(work));
  };
  constexpr std::int64_t kCube = std::int64_t{16} * 128 * 256 * 1024 / kMacsPerCycle;
  constexpr std::int64_t kOut = std::int64_t{128} * 256 * 2 / 8;  // of one block, in 16 bits
  CHECK(time(UnitFlag::kOff, false, DataType::kBf16) == Approx(kCube + 16 * kOut).margin(20));
  CHECK(time(UnitFlag::kOff, false, DataType::kFp32) == Approx(kCube + 16 * 2 * kOut).margin(20));
  // The cube has 8,192 cycles per block: what goes out meanwhile in 8,192 takes nothing, in 16,384 all.
  CHECK(time(UnitFlag::kOn, false, DataType::kBf16) == Approx(kCube + kOut).margin(20));
  CHECK(time(UnitFlag::kOn, false, DataType::kFp32) == Approx(kCube / 16 + 16 * 2 * kOut).margin(20));
  for (const bool transposed : {false, true}) {
    const UnitFlag same = transposed ? UnitFlag::kOff : UnitFlag::kOn;
    CHECK(time(UnitFlag::kUnlessTransposed, transposed, DataType::kBf16) ==
          time(same, transposed, DataType::kBf16));
  }
}

TEST_CASE("a matrix task begins later by its start, whatever it loads") {
  Hardware hardware = ideal_machine();
  const Work work = matmul(256, 256, 1024);
  const std::int64_t without = cycles(CostModel(hardware, kIdealProgram).least(work));
  Program program = kIdealProgram;
  program.tasks.cube_task_start = 3_us;
  CHECK(cycles(CostModel(hardware, program).least(work)) == without + 3000);
}

TEST_CASE("a portion costs the same whatever portion of its task was asked for before") {
  Hardware hardware = ideal_machine();
  hardware.cube.gm_to_l1 = 60;
  hardware.cube.gm_to_l1_miss = 20;
  hardware.cube.l0c_to_gm = 40;
  hardware.cube.least_rows = 16;
  hardware.memory.l2_line_read = {90'000'000'000};
  Program program = kIdealProgram;
  program.tasks.cube_task_start = 500_ns;
  const CostModel cost(hardware, program);
  // Edges in both directions, three portions of K a block, products of other sizes, one of zeros.
  Work work = matmul(300, 700, 20'000);
  work.gemms.push_back({300, 700, 0, 0, 0, 0});
  work.gemms.push_back({90, 500, 1000, 0, 0, 0});
  work.shares = 2;
  TaskPortions portions;
  TaskPortion portion;
  portions.start(work, hardware);
  CostModel::LastCube last;
  std::size_t count = 0;
  for (; portions.next(portion); ++count) {
    PortionTraffic traffic;
    if (portion.k > 0 && count % 3 == 0) traffic.slow = {5000, 7000};
    if (portion.k > 0 && count % 3 == 1) traffic.slow = {0, 7000};
    const PortionJob job = cost.job(work, portion, traffic, last), alone = cost.job(work, portion, traffic);
    INFO(count);
    CHECK(job.memory.ideal == alone.memory.ideal);
    CHECK(job.missing == alone.missing);
    CHECK(job.memory.bytes == alone.memory.bytes);
    CHECK((job.missing > Duration(0)) == (traffic.slow[1] > 0));
  }
  CHECK(count > 15);
}
