#include "models/graph/chunked_gemm.h"

#include <catch2/catch.hpp>

#include "tests/models/small_run.h"

using namespace a3sim;
using namespace a3sim::test;

namespace {

constexpr std::uint32_t kRanks = 3, kRows = 6, kInner = 5, kCols = 4;

// Row i of the product of `a` and the transposed `b`.
std::vector<float> row_times(const std::vector<float>& a, const Matrix& b) {
  std::vector<float> row;
  for (const std::vector<float>& column : b) {
    float sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * column[k];
    row.push_back(sum);
  }
  return row;
}

ChunkedGemm chunked(std::uint32_t chunk_rows, std::uint32_t groups, bool meets = false) {
  return {.rows = kRows,
          .n = kCols,
          .k = kInner,
          .ranks = kRanks,
          .chunk_rows = chunk_rows,
          .groups = groups,
          .rewriters = 2,
          .meets = meets,
          .dtype = DataType::kFp32,
          .result = DataType::kFp32};
}

}  // namespace

TEST_CASE("Rows that are gathered in chunks are multiplied once each, those of the next rank first") {
  const MoeShape shape{.ep = kRanks};
  const RowLayout layout(shape, RoutingCounts(kRanks, 0));
  const auto [chunk, groups, meets] = GENERATE(table<std::uint32_t, std::uint32_t, bool>(
      {{2, 1, false}, {4, 1, false}, {6, 1, false}, {6, 3, false}, {2, 1, true}, {4, 1, true}}));
  const Graph graph = chunked_gemm_graph(chunked(chunk, groups, meets));
  SmallRun run(graph, layout, {.shares = 2, .partitions = groups, .chunk = 2, .task_rows = 3}, {});
  std::vector<Matrix> a, b;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    a.push_back(random_matrix(rank, kRows, kInner));
    b.push_back(random_matrix(10 + rank, kCols, kInner));
    run.set(rank, "a", a.back());
    run.set(rank, "b", b.back());
    run.set(rank, "start", Matrix(1, std::vector<float>(32)));
    if (meets) run.set(rank, "one", Matrix(1, std::vector<float>(8, 1.0F)));
    for (std::uint32_t c = 0; c * chunk < kRows; ++c) {
      const auto begin = a.back().begin() + c * chunk;
      run.set(rank, "shard_" + std::to_string(c), {begin, begin + std::min(chunk, kRows - c * chunk)});
    }
  }
  run.run(1);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const Matrix own = run.get(rank, "c");
    for (std::uint32_t row = 0; row < kRows; ++row) CHECK(own[row] == row_times(a[rank][row], b[rank]));
    for (std::uint32_t c = 0; c * chunk < kRows; ++c) {
      const std::uint32_t rows = std::min(chunk, kRows - c * chunk), group = rows / groups;
      const Matrix others = run.get(rank, "c_" + std::to_string(c));
      REQUIRE(others.size() == (kRanks - 1) * rows);
      for (std::uint32_t i = 0; i < others.size(); ++i) {
        const std::uint32_t number = i / group, from = (rank + 1 + number % (kRanks - 1)) % kRanks;
        CHECK(others[i] ==
              row_times(a[from][c * chunk + number / (kRanks - 1) * group + i % group], b[rank]));
      }
    }
  }
}

TEST_CASE("B is rewritten where its rows are no whole lines") {
  ChunkedGemm shape = chunked(2, 1);
  CHECK(chunked_gemm_graph(shape).operators().front().name == "Rewrite");
  shape.k = 128;  // of fp32: a line
  CHECK(chunked_gemm_graph(shape).operators().front().name == "GMM");
}
