#include "sim/experiment/run/times_alone.h"

#include <catch2/catch.hpp>

#include "sim/core/rng.h"

using namespace a3sim;

namespace {

// Each size is nearly always the first of two: among many works there are those that differ in one alone.
Work random_sizes(Rng& rng) {
  const auto one_of = [&](std::uint32_t a, std::uint32_t b) { return rng.below(6) ? a : b; };
  Work work;
  if (rng.below(2)) {
    work.kind = WorkKind::kCube;
    for (std::uint32_t i = one_of(2, 1); i > 0; --i) {
      work.gemms.push_back({.m = one_of(1100, 100),
                            .n = one_of(600, 512),
                            .k = one_of(520, 64),
                            .a_row = rng.below(1000),
                            .b_row = rng.below(1000),
                            .c_row = rng.below(1000)});
    }
    work.shares = one_of(4, 1);
    work.share = rng.below(work.shares);
    work.count_on = one_of(0, 1) != 0;
    work.dtype = work.weights = one_of(1, 0) ? DataType::kBf16 : DataType::kFp32;
    work.a = TensorId{rng.below(5)};
    work.a_transposed = one_of(0, 1) != 0;
    work.b_transposed = one_of(0, 1) != 0;
    work.a_pitch = one_of(1024, 1000);
    work.b_pitch = one_of(1024, 1000);
    work.tiling.base_k = static_cast<std::uint16_t>(one_of(64, 128));
    work.tiling.l0c_buffers = static_cast<std::uint8_t>(one_of(1, 2));
    work.tiling.order = one_of(1, 0) ? BlockOrder::kDiagonal : BlockOrder::kRowMajor;
    return work;
  }
  work.kind = WorkKind::kVector;
  work.ops = {one_of(1000, 90000), one_of(0, 70000), one_of(0, 20000)};
  for (std::uint32_t i = one_of(1, 2); i > 0; --i) {
    const std::uint32_t begin = rng.below(100), rows = one_of(16, 100);
    work.streams.push_back({.tensor = TensorId{rng.below(5)},
                            .rank = RankId{0},
                            .rows = {begin, begin + rows},
                            .bytes = std::uint64_t{rows} * one_of(512, 1000),
                            .write = rng.below(2) == 0,
                            .gather = rng.below(2) == 0,
                            .row_bytes = one_of(512, 1000),
                            .gather_at = rng.below(100)});
  }
  return work;
}

Hardware machine_where_all_matters() {
  Hardware machine{};
  machine.clock = {1'000'000'000};
  machine.workers = aic_and_aiv(24, 48);
  machine.cube.macs_per_cycle_16 = 4096;
  machine.cube.macs_per_cycle_32 = 1024;
  machine.cube.l1_to_l0a = machine.cube.l1_to_l0b = 256;
  machine.cube.gm_to_l1 = machine.cube.gm_to_l1_miss = 128;
  machine.cube.l0c_to_gm = 32;
  machine.cube.speed = 1;
  machine.cube.unaligned = machine.vector.unaligned = 0.5;
  machine.vector.simple_fp32 = machine.vector.convert = machine.vector.transcendental = 64;
  machine.vector.gm_to_ub = machine.vector.gm_to_ub_miss = machine.vector.ub_to_gm = 64;
  machine.vector.ub = 192_KiB;
  machine.memory.l2_line_read = {200'000'000'000};
  return machine;
}

}  // namespace

TEST_CASE("the times of tasks of equal sizes are those of each by itself") {
  const Hardware machine = machine_where_all_matters();
  Hardware slower = machine;
  slower.clock.count /= 3;
  Program program;
  program.vector_tile = 1_KiB;
  const CostModel costs[] = {CostModel(machine, program), CostModel(slower, program)};
  TimesAlone alone;
  Rng rng(6);
  for (int i = 0; i < 5000; ++i) {
    const Work work = random_sizes(rng);
    const CostModel& cost = costs[rng.below(2)];
    const TimesAlone::Times times = alone.compute(work, cost);
    REQUIRE(times.arithmetic == cost.arithmetic(work));
    REQUIRE(times.least == cost.least(work));
  }
}
