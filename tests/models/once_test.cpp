#include "models/operators/once.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "models/graph/builder.h"
#include "tests/models/small_run.h"

using namespace a3sim;
using namespace a3sim::test;

// Rows that cross the links once to each rank.
namespace {

constexpr CutOptions kOnceCut{.shares = 2, .partitions = 1, .chunk = 3, .task_rows = 5};

MoeShape once_shape(std::uint32_t ep) {
  return {.tokens = 11, .hidden = 6, .intermediate = 5, .top_k = 4, .experts_per_rank = 4, .ep = ep};
}

Routed routed_once(const MoeShape& shape) {
  Routed routed;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    routed.experts.push_back(
        Routings::get("sampled").assign({.kind = "sampled", .seed = 3, .skew = 0.7}, shape, rank));
    routed.weights.push_back(random_matrix(50 + rank, 1, shape.tokens * shape.top_k)[0]);
  }
  return routed;
}

// Tokens to experts and back; `once`: over the links once per rank. Nothing is computed between.
Graph there_and_back(const MoeShape& shape, bool once) {
  GraphBuilder b{shape, {}};
  const auto rows = [&](const char* name, Layout layout, bool external = false) {
    return b.tensor(name, layout, 0, shape.hidden, external);
  };
  const TensorId counts = b.counts(), tokens = rows("tokens", Layout::kTokens, true), router = b.router();
  const TensorId sent = rows("sent", Layout::kSent), received = rows("received", Layout::kReceived),
                 returned = rows("returned", Layout::kSent), output = rows("output", Layout::kTokens);
  b.add("Permute", "Permute", {tokens, router}, sent);
  if (once) {
    const TensorId came = rows("came", Layout::kReceived), summed = rows("summed", Layout::kReceived);
    b.add("Dispatch", "DispatchOnce", {sent, counts}, came);
    b.add("Spread", "Spread", {came, counts}, received);
    b.add("Sum", "SumExperts", {received, counts}, summed);
    b.add("Combine", "CombineOnce", {summed, counts}, returned);
    b.add("Accumulate", "AccumulateUnweighted", {returned, router}, output);
  } else {
    b.add("Dispatch", "Dispatch", {sent, counts}, received);
    b.add("Combine", "Combine", {received, counts}, returned);
    b.add("Accumulate", "Accumulate", {returned, router}, output);
  }
  return std::move(b.graph);
}

// The rows of tensors `received` and `output` on each rank.
std::vector<std::pair<Matrix, Matrix>> moved(const MoeShape& shape, const Routed& routed, bool once) {
  const RowLayout layout(shape, routed.counts(shape));
  const Graph graph = there_and_back(shape, once);
  SmallRun run(graph, layout, kOnceCut, routed);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank)
    run.set(rank, "tokens", random_matrix(7 + rank, shape.tokens, shape.hidden));
  run.run(5);
  std::vector<std::pair<Matrix, Matrix>> all;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank)
    all.emplace_back(run.get(rank, "received"), run.get(rank, "output"));
  return all;
}

}  // namespace

TEST_CASE(
    "Rows that cross the links once reach the same experts as rows that cross them for each, and sum up to "
    "the same") {
  const auto ep = GENERATE(1U, 2U, 3U);
  const MoeShape shape = once_shape(ep);
  const Routed routed = routed_once(shape);
  const auto each = moved(shape, routed, false), once = moved(shape, routed, true);
  for (std::uint32_t rank = 0; rank < ep; ++rank) {
    CHECK(once[rank].first == each[rank].first);
    for (std::uint32_t t = 0; t < shape.tokens; ++t)
      for (std::uint32_t i = 0; i < shape.hidden; ++i)  // sums of a rank are rounded once more
        CHECK(once[rank].second[t][i] == Approx(each[rank].second[t][i]).margin(0x1p-6));
  }
}

TEST_CASE("How many rows cross the links once is what tokens that choose at random come to") {
  const MoeShape shape{
      .tokens = 4096, .hidden = 8, .intermediate = 8, .top_k = 8, .experts_per_rank = 8, .ep = 8};
  const std::vector<std::uint32_t> experts =
      Routings::get("sampled").assign({.kind = "sampled", .seed = 1, .skew = 0}, shape, 0);
  RoutingCounts counts(shape.ep, shape.experts());
  std::vector<std::uint32_t> expected(shape.ep);  // by rank: tokens with an expert there
  for (std::uint32_t t = 0; t < shape.tokens; ++t) {
    std::set<std::uint32_t> ranks;
    for (std::uint32_t k = 0; k < shape.top_k; ++k) {
      const std::uint32_t expert = experts[t * shape.top_k + k];
      ranks.insert(expert / shape.experts_per_rank);
      ++counts.at(0, expert);
    }
    for (const std::uint32_t rank : ranks) ++expected[rank];
  }
  const RowLayout layout(shape, counts);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    std::uint32_t rows = 0;
    for (std::uint32_t e = 0; e < shape.experts_per_rank; ++e) {
      const Rows slot = layout.received_slot(rank, e, 0);
      const std::uint32_t middle = slot.begin + slot.size() / 3;
      rows += once_rows(layout, rank, {slot.begin, middle}) + once_rows(layout, rank, {middle, slot.end});
    }
    CHECK(rows == Approx(expected[rank]).epsilon(0.03));  // choices are taken for independent: 2 % too many
  }
}
