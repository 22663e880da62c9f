#include <catch2/catch.hpp>
#include <cmath>

#include "tests/models/reference_ffn.h"
#include "tests/models/shipped_graph.h"

using namespace a3sim;
using namespace a3sim::test;

namespace {

// Ragged on purpose: nothing divides anything.
constexpr MoeShape shape_of(std::uint32_t ep, std::uint32_t experts_per_rank) {
  return {.tokens = 7,
          .hidden = 6,
          .intermediate = 5,
          .top_k = 2,
          .experts_per_rank = experts_per_rank,
          .ep = ep};
}

Routed with_weights(const MoeShape& shape, std::vector<std::vector<std::uint32_t>> experts) {
  Routed routed{std::move(experts), {}};
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    routed.weights.push_back(random_matrix(900 + rank, 1, shape.tokens * shape.top_k)[0]);
  }
  return routed;
}

Routed routed_by(const RoutingSpec& spec, const MoeShape& shape) {
  std::vector<std::vector<std::uint32_t>> experts;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    experts.push_back(Routings::get(spec.kind).assign(spec, shape, rank));
  }
  return with_weights(shape, std::move(experts));
}

// All tokens go to the first and the last expert; those between have no rows.
Routed only_two(const MoeShape& shape) {
  std::vector<std::uint32_t> experts;
  for (std::uint32_t token = 0; token < shape.tokens; ++token) {
    experts.insert(experts.end(), {0, shape.experts() - 1});
  }
  return with_weights(shape, std::vector(shape.ep, experts));
}

// Every second token is dropped altogether.
Routed with_drops(const MoeShape& shape) {
  Routed routed = routed_by({}, shape);
  for (auto& experts : routed.experts) {
    for (std::size_t slot = 0; slot < experts.size(); ++slot) {
      if (slot / shape.top_k % 2 == 1) experts[slot] = kNone;
    }
  }
  return routed;
}

// A bucket that is larger than the counts, by another number of rows everywhere.
RoutingCounts padded(const RoutingCounts& counts) {
  RoutingCounts capacity = counts;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t expert = 0; expert < counts.experts(); ++expert) {
      capacity.at(src, expert) += (src + 3 * expert) % 5;
    }
  }
  return capacity;
}

std::vector<Matrix> of_rank(const MoeShape& shape, std::uint32_t rank, const std::vector<Matrix>& by_expert) {
  const auto first = by_expert.begin() + rank * shape.experts_per_rank;
  return {first, first + shape.experts_per_rank};
}

Matrix stacked(const std::vector<Matrix>& parts) {
  Matrix all;
  for (const Matrix& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<Matrix> random_tokens(const MoeShape& shape, std::uint64_t seed) {
  std::vector<Matrix> all;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    all.push_back(random_matrix(seed + rank, shape.tokens, shape.hidden));
  }
  return all;
}

void set_weights(SmallRun& run, const MoeShape& shape, const Parameters& parameters) {
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    run.set(rank, "w1", stacked(of_rank(shape, rank, parameters.w1)));
    run.set(rank, "w2", stacked(of_rank(shape, rank, parameters.w2)));
  }
}

void check_passes(const MoeShape& shape, const Routed& routed, const RowLayout& layout,
                  const CutOptions& cut) {
  const Parameters parameters = random_parameters(shape, 100);
  const std::vector<Matrix> tokens = random_tokens(shape, 200), d_output = random_tokens(shape, 300);
  const Graph forward_ops = forward_graph(shape, Window::kFull),
              backward_ops = backward_graph(shape, Window::kFull);

  SmallRun there(forward_ops, layout, cut, routed);
  set_weights(there, shape, parameters);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) there.set(rank, "tokens", tokens[rank]);
  there.run(1);

  SmallRun back(backward_ops, layout, cut, routed);
  set_weights(back, shape, parameters);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    back.set(rank, "d_output", d_output[rank]);
    for (const char* kept : {"received", "gate_up", "activation"})
      back.set(rank, kept, there.get(rank, kept));
  }
  back.run(2);

  const Forward forth = forward(shape, routed, parameters, tokens);
  const Backward gradients = backward(shape, routed, parameters, tokens, d_output);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    CHECK(there.get(rank, "output") == forth.output[rank]);
    CHECK(back.get(rank, "d_tokens") == gradients.d_tokens[rank]);
    CHECK(back.get(rank, "d_w1") == stacked(of_rank(shape, rank, gradients.d_w1)));
    CHECK(back.get(rank, "d_w2") == stacked(of_rank(shape, rank, gradients.d_w2)));
  }
}

constexpr CutOptions kSmallCut{.shares = 3, .partitions = 1, .chunk = 3, .task_rows = 5};

}  // namespace

TEST_CASE("Tasks in any legal order give what plain loops over tokens and experts give, bit by bit") {
  const auto ep = GENERATE(1U, 2U, 4U);
  const auto partitions = GENERATE(1U, 2U, 3U);
  const bool larger_bucket = GENERATE(false, true);
  const auto kind = GENERATE("balanced", "skewed", "two experts", "drops");
  const MoeShape shape = shape_of(ep, 3);
  INFO("EP" << ep << ", " << partitions << " partitions, " << kind
            << (larger_bucket ? ", larger bucket" : ""));

  const std::string_view name = kind;
  const Routed routed = name == "skewed" ? routed_by({.kind = "sampled", .seed = 5, .skew = 1.5}, shape)
                        : name == "two experts" ? only_two(shape)
                        : name == "drops"       ? with_drops(shape)
                                                : routed_by({}, shape);
  const RoutingCounts counts = routed.counts(shape);
  const RowLayout layout(shape, larger_bucket ? padded(counts) : counts, counts);
  CutOptions cut = kSmallCut;
  cut.partitions = partitions;
  check_passes(shape, routed, layout, cut);
}

TEST_CASE("A single expert a rank is one tile that still runs as shares") {
  const MoeShape shape = shape_of(2, 1);
  const Routed routed = routed_by({}, shape);
  const RowLayout layout(shape, routed.counts(shape));
  check_passes(shape, routed, layout, kSmallCut);
  const Graph graph = forward_graph(shape, Window::kTransport);
  const SmallRun run(graph, layout, kSmallCut, routed);
  CHECK(run.tasks_of(0, "GMM1").size() == kSmallCut.shares);
}

TEST_CASE("Operators that inherit nothing run as one task over all experts, and give the same") {
  const MoeShape shape = shape_of(2, 3);
  const Routed routed = routed_by({.kind = "sampled", .seed = 9, .skew = 1.0}, shape);
  const RoutingCounts counts = routed.counts(shape);
  const RowLayout layout(shape, padded(counts), counts);
  const std::vector<Matrix> tokens = random_tokens(shape, 200);
  const Parameters parameters = random_parameters(shape, 100);
  // An inherited dimension that no tensor carries makes every operator fall back.
  Graph whole;
  const Graph graph = forward_graph(shape, Window::kFull);
  for (const TensorNode& tensor : graph.tensors()) whole.add_tensor(tensor);
  for (OperatorNode node : graph.operators()) {
    if (!node.split.inherits.empty()) node.split.output_dims = {-1};
    if (node.type == "Dispatch") node.split.output_dims = {-1};
    whole.add_operator(node);
  }
  SmallRun run(whole, layout, kSmallCut, routed);
  set_weights(run, shape, parameters);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) run.set(rank, "tokens", tokens[rank]);
  run.run(3);
  const Forward expected = forward(shape, routed, parameters, tokens);
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    CHECK(run.get(rank, "output") == expected.output[rank]);
    for (const char* op : {"GMM1", "SwiGLU", "GMM2"}) CHECK(run.tasks_of(rank, op).size() == 1);
  }
}

TEST_CASE("SwiGLU and Add over tiles give what they give row by row") {
  constexpr std::uint32_t kRows = 11, kWidth = 5, kTile = 4;
  const MoeShape shape = shape_of(1, 1);
  const Graph graph = shipped_graph("swiglu_add.yaml", "sizes: {rows: 11, cols: 5, tiles: 3}").graph;
  const RowLayout layout(shape, RoutingCounts(1, 1));
  SmallRun run(graph, layout, {}, {});
  const Matrix gate_up = random_matrix(1, kRows, 2 * kWidth), other = random_matrix(2, kRows, kWidth);
  run.set(0, "gate_up", gate_up);
  run.set(0, "other", other);
  run.run(4);
  const Matrix sum = run.get(0, "sum");
  CHECK(run.tasks_of(0, "SwiGLU").size() == (kRows + kTile - 1) / kTile);
  CHECK(run.tasks_of(0, "Add").size() == run.tasks_of(0, "SwiGLU").size());
  for (std::uint32_t r = 0; r < kRows; ++r) {
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const double gate = gate_up[r][c], swiglu = gate / (1 + std::exp(-gate)) * gate_up[r][kWidth + c];
      CHECK(sum[r][c] == Approx(swiglu + other[r][c]).margin(0x1p-7));
    }
  }
}
