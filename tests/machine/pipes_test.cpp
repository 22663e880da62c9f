#include "sim/device/pipes.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/machine/ideal_machine.h"

using namespace a3sim;

namespace {

constexpr Store kAll[] = {Store::kGm, Store::kL1, Store::kL0a, Store::kL0b, Store::kL0c, Store::kUb};

// The widest way, by trying every path.
double widest(const Pipes& pipes, Store from, Store to, std::vector<Store> on = {}) {
  double best = pipes.pipe(from, to);
  on.push_back(from);
  for (const Store next : kAll) {
    if (std::ranges::find(on, next) != on.end() || next == to) continue;
    best = std::max(best, std::min(pipes.pipe(from, next), widest(pipes, next, to, on)));
  }
  return best;
}

}  // namespace

TEST_CASE("a pipe between two stores is the way between them, however slow") {
  Pipes pipes;
  pipes.set(Store::kL0c, Store::kGm, 30);
  pipes.set(Store::kL0c, Store::kUb, 128);
  pipes.set(Store::kUb, Store::kGm, 100);
  CHECK(pipes.way(Store::kL0c, Store::kGm) == 30);
}

TEST_CASE("without a pipe, data take the way whose slowest pipe is fastest") {
  Pipes pipes;
  CHECK(pipes.way(Store::kL0c, Store::kGm) == 0);
  pipes.set(Store::kL0c, Store::kUb, 128);
  CHECK(pipes.way(Store::kL0c, Store::kGm) == 0);
  pipes.set(Store::kUb, Store::kGm, 100);
  CHECK(pipes.way(Store::kL0c, Store::kGm) == 100);
  pipes.set(Store::kL0c, Store::kL1, 110);
  pipes.set(Store::kL1, Store::kGm, 120);
  CHECK(pipes.way(Store::kL0c, Store::kGm) == 110);
}

TEST_CASE("a way inside a core has no memory on it") {
  Pipes pipes;
  pipes.set(Store::kL0c, Store::kGm, 40);
  pipes.set(Store::kGm, Store::kUb, 67);
  CHECK(pipes.way(Store::kL0c, Store::kUb) == 40);
  CHECK(pipes.way(Store::kL0c, Store::kUb, true) == 0);
  pipes.set(Store::kL0c, Store::kL1, 20);
  pipes.set(Store::kL1, Store::kUb, 30);
  CHECK(pipes.way(Store::kL0c, Store::kUb, true) == 20);
}

TEST_CASE("ways are those that trying every path finds") {
  std::uint32_t state = 1;
  const auto draw = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
  for (int round = 0; round < 200; ++round) {
    Pipes pipes;
    for (const Store from : kAll)
      for (const Store to : kAll)
        if (from != to && draw() % 3 == 0) pipes.set(from, to, 1 + draw() % 200);
    for (const Store from : kAll)
      for (const Store to : kAll)
        if (from != to)
          CHECK(pipes.way(from, to) ==
                (pipes.pipe(from, to) > 0 ? pipes.pipe(from, to) : widest(pipes, from, to)));
  }
}

TEST_CASE("bytes of MX types hold a byte of scale for 32 elements") {
  CHECK(bytes_of(DataType::kMxfp8, 64) == 66);
  CHECK(bytes_of(DataType::kMxfp4, 64) == 34);
  CHECK(bytes_of(DataType::kMxfp4, 33) == 17 + 2);
  CHECK(bytes_of(DataType::kHif8, 64) == 64);
  CHECK(bytes_of(DataType::kBf16, 64) == 128);
  CHECK(element_bytes(DataType::kMxfp4) == 17.0 / 32);
}

TEST_CASE("a product of a type that the machine lacks is refused") {
  const Hardware hardware = ideal_machine();
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(128, 256, 512);
  work.dtype = work.weights = DataType::kMxfp4;
  CHECK_THROWS_AS(cost.arithmetic(work), InputError);
}

TEST_CASE("eight and four bits multiply at their own rates, and mixed ones at that of the wider") {
  Hardware hardware = ideal_machine();
  hardware.cube.macs_per_cycle_fp8 = 2 * kMacsPerCycle;
  hardware.cube.macs_per_cycle_fp4 = 4 * kMacsPerCycle;
  const CostModel cost(hardware, kIdealProgram);
  Work work = matmul(128, 256, 512);
  const Duration in_16_bits = cost.arithmetic(work);
  const auto in = [&](DataType rows, DataType weights) {
    work.dtype = rows;
    work.weights = weights;
    return cost.arithmetic(work);
  };
  for (const DataType type : {DataType::kFp8E4m3, DataType::kFp8E5m2, DataType::kHif8, DataType::kMxfp8})
    CHECK(2 * in(type, type) == in_16_bits);
  CHECK(4 * in(DataType::kMxfp4, DataType::kMxfp4) == in_16_bits);
  CHECK(2 * in(DataType::kMxfp8, DataType::kMxfp4) == in_16_bits);
}

TEST_CASE("loads to L0A and L0B take turns, or run at once where the machine says so") {
  Hardware hardware = ideal_machine();
  hardware.cube.l1_to_l0a = hardware.cube.l1_to_l0b = 1;  // so slow that nothing else counts
  const Work work = matmul(256, 256, 512);
  const Duration in_turns = CostModel(hardware, kIdealProgram).least(work);
  hardware.cube.l0_in_turns = false;
  const Duration at_once = CostModel(hardware, kIdealProgram).least(work);
  // A block of 128 x 256: both, or the larger of the two.
  CHECK(static_cast<double>(in_turns.count()) / static_cast<double>(at_once.count()) ==
        Approx((128.0 + 256) / 256).epsilon(0.01));
}
