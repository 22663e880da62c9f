#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "models/graph/expert_parallel.h"
#include "models/operators/quantized_row.h"
#include "tests/models/shipped_graph.h"
#include "tests/models/small_run.h"

using namespace a3sim;
using namespace a3sim::test;

// Operators that move plain rows between ranks, and those that quantise what is sent.
namespace {

constexpr std::uint32_t kExchangeRanks = 3, kExchangeBlock = 5, kExchangeInner = 6, kExchangeCols = 7;
constexpr CutOptions kExchangeCut{.shares = 2, .partitions = 2, .chunk = 2, .task_rows = 3};

struct Group {
  MoeShape shape{.ep = kExchangeRanks};
  RowLayout layout{shape, RoutingCounts(kExchangeRanks, 0)};
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<float>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

void check_close(const Matrix& actual, const Matrix& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    for (std::size_t j = 0; j < actual[i].size(); ++j) {
      INFO("row " << i << ", column " << j);
      CHECK(actual[i][j] == Approx(expected[i][j]).margin(0x1p-6));
    }
  }
}

// Returns a product of a group, cut into tiles or whole.
Graph product_of_group(const std::string& file, bool tiles) {
  const Graph graph = shipped_graph(file, fmt::format("sizes: {{m: {}, n: {}, k: {}}}, ranks: {}",
                                                      kExchangeRanks * kExchangeBlock, kExchangeCols,
                                                      kExchangeInner, kExchangeRanks))
                          .graph;
  return tiles ? graph : without_tiles(graph, {});
}

Matrix matrix_rows(const Matrix& all, std::uint32_t rank) {
  return {all.begin() + rank * kExchangeBlock, all.begin() + (rank + 1) * kExchangeBlock};
}

// Tokens that go to other ranks than balanced ones do, with counts that differ.
Routed routed_for(const MoeShape& shape) {
  Routed routed;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    routed.experts.push_back(
        Routings::get("sampled").assign({.kind = "sampled", .seed = 3, .skew = 0.7}, shape, rank));
    routed.weights.push_back(random_matrix(50 + rank, 1, shape.tokens * shape.top_k)[0]);
  }
  return routed;
}

}  // namespace

TEST_CASE("A gathered product is that of all ranks' rows, in tiles and whole") {
  const Group group;
  const bool tiles = GENERATE(false, true);
  const Graph graph = product_of_group("allgather_product.yaml", tiles);
  SmallRun run(graph, group.layout, kExchangeCut, {});
  const Matrix a = random_matrix(1, kExchangeRanks * kExchangeBlock, kExchangeInner);
  for (std::uint32_t rank = 0; rank < kExchangeRanks; ++rank) {
    run.set(rank, "a_shard", matrix_rows(a, rank));
    run.set(rank, "b", random_matrix(10 + rank, kExchangeInner, kExchangeCols));
  }
  run.run(1);
  for (std::uint32_t rank = 0; rank < kExchangeRanks; ++rank) {
    CHECK(run.get(rank, "a") == a);
    check_close(run.get(rank, "c"), product(a, random_matrix(10 + rank, kExchangeInner, kExchangeCols)));
  }
}

TEST_CASE("A scattered product leaves each rank its rows of the sum over all ranks") {
  const Group group;
  const bool tiles = GENERATE(false, true);
  const Graph graph = product_of_group("product_reduce_scatter.yaml", tiles);
  SmallRun run(graph, group.layout, kExchangeCut, {});
  Matrix sum(kExchangeRanks * kExchangeBlock, std::vector<float>(kExchangeCols));
  for (std::uint32_t rank = 0; rank < kExchangeRanks; ++rank) {
    const Matrix a = random_matrix(20 + rank, kExchangeRanks * kExchangeBlock, kExchangeInner),
                 b = random_matrix(30 + rank, kExchangeInner, kExchangeCols), c = product(a, b);
    run.set(rank, "a", a);
    run.set(rank, "b", b);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      for (std::size_t j = 0; j < kExchangeCols; ++j) sum[i][j] += c[i][j];
    }
  }
  run.run(2);
  for (std::uint32_t rank = 0; rank < kExchangeRanks; ++rank) {
    const Matrix c = run.get(rank, "c"), expected = matrix_rows(sum, rank);
    for (std::size_t i = 0; i < c.size(); ++i) {
      // Each rank's partial sums and their own sum are rounded to 8 bits.
      for (std::size_t j = 0; j < kExchangeCols; ++j) CHECK(c[i][j] == Approx(expected[i][j]).margin(0.03));
    }
  }
}

TEST_CASE("A quantised row is within half a step of what it was, and its largest element is 127") {
  const Graph graph = [] {
    Graph g;
    const TensorId x = g.add_tensor({"x", Layout::kPlain, 4, kExchangeCols, DataType::kBf16, true});
    const TensorId q = g.add_tensor({"q", Layout::kPlain, 4, kExchangeCols, DataType::kInt8, false});
    const TensorId s = g.add_tensor({"s", Layout::kPlain, 4, 1, DataType::kFp32, false});
    const TensorId p =
        g.add_tensor({"p", Layout::kPlain, 4, kExchangeCols + kScaleColumns, DataType::kInt8, false});
    const TensorId uq = g.add_tensor({"uq", Layout::kPlain, 4, kExchangeCols, DataType::kInt8, false});
    const TensorId us = g.add_tensor({"us", Layout::kPlain, 4, 1, DataType::kFp32, false});
    g.add_operator(make_node("Quantize", "Quantize", {x}, {q, s}));
    g.add_operator(make_node("Pack", "QuantizePacked", {x}, {p}));
    g.add_operator(make_node("Unpack", "Unpack", {p}, {uq, us}));
    return g;
  }();
  const RowLayout layout(MoeShape{.ep = 1}, RoutingCounts(1, 0));
  SmallRun run(graph, layout, kExchangeCut, {});
  Matrix x = random_matrix(5, 4, kExchangeCols);
  x[2].assign(kExchangeCols, 0);  // nothing to scale by
  run.set(0, "x", x);
  run.run(3);
  const Matrix q = run.get(0, "q"), s = run.get(0, "s");
  for (std::size_t r = 0; r < x.size(); ++r) {
    float largest = 0;
    for (std::size_t c = 0; c < kExchangeCols; ++c) {
      CHECK(q[r][c] == std::nearbyint(q[r][c]));
      CHECK(std::fabs(q[r][c] * s[r][0] - x[r][c]) <= s[r][0] / 2 * 1.0001F);
      largest = std::max(largest, std::fabs(q[r][c]));
    }
    CHECK(largest == (r == 2 ? 0 : 127));
  }
  CHECK(run.get(0, "uq") == q);
  CHECK(run.get(0, "us") == s);
}

TEST_CASE("Rows sent straight from the tokens arrive as those that were gathered before") {
  const MoeShape shape{
      .tokens = 7, .hidden = 6, .intermediate = 4, .top_k = 2, .experts_per_rank = 2, .ep = 3};
  const DataType dtype = GENERATE(DataType::kBf16, DataType::kInt8);
  const Routed routed = routed_for(shape);
  const RowLayout layout(shape, routed.counts(shape));
  std::vector<Matrix> received;
  for (const Exchange exchange : {Exchange::kPuts, Exchange::kFused}) {
    const Graph graph = dispatch_graph(shape, {dtype, exchange});
    SmallRun run(graph, layout, kExchangeCut, routed);
    for (std::uint32_t rank = 0; rank < shape.ep; ++rank)
      run.set(rank, "tokens", random_matrix(40 + rank, shape.tokens, shape.hidden));
    run.run(4);
    for (std::uint32_t rank = 0; rank < shape.ep; ++rank) received.push_back(run.get(rank, "received"));
  }
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    CHECK(!received[rank].empty());
    CHECK(received[rank] == received[shape.ep + rank]);
  }
}
