#include <catch2/catch.hpp>

#include "sim/sweep/point.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

TEST_CASE("Positions are the product of the dimensions without what is excluded, the last running fastest") {
  const SweepFolder folder;
  const SweepSpec spec = read_sweep(
      folder.write("s.yaml",
                   sweep_text("    rows: {key: elementwise.rows, values: [64, 128, 256]}\n"
                              "    cols: {key: elementwise.cols, values: [32, 64]}\n"
                              "    sweeps: {key: elementwise.sweeps, values: [1, 2, 3], zip: rows}\n"
                              "    way: {list: {a: {}, b: {experiment.execution: static}}}\n",
                              "  exclude: [{rows: [64, 256], way: b}, {sweeps: 2, cols: 64}]\n")),
      {});
  std::vector<SweepPosition> expected;  // rows, cols, sweeps, way
  for (std::uint32_t rows = 0; rows < 3; ++rows) {
    for (std::uint32_t cols = 0; cols < 2; ++cols) {
      for (std::uint32_t way = 0; way < 2; ++way) {
        const bool first = rows != 1 && way == 1, second = rows == 1 && cols == 1;
        if (!first && !second) expected.push_back({rows, cols, rows, way});
      }
    }
  }
  CHECK(positions_of(spec) == expected);
  CHECK(describe(spec, expected[1]) == "rows=64, cols=64, sweeps=1, way=a");
}

}  // namespace
}  // namespace a3sim
