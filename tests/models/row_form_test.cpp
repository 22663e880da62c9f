#include "models/graph/row_form.h"

#include <catch2/catch.hpp>
#include <string>

#include "models/graph/with_movers.h"
#include "sim/core/error.h"
#include "tests/models/reference_ffn.h"

using namespace a3sim;
using namespace a3sim::test;
using Catch::Matchers::Contains;

// All forms of a MoE-FFN's graph compute the same.
namespace {

constexpr CutOptions kFormCut{.shares = 2, .partitions = 1, .chunk = 3, .task_rows = 5};

MoeShape formed_shape(std::uint32_t ep) {
  return {.tokens = 11, .hidden = 6, .intermediate = 5, .top_k = 4, .experts_per_rank = 4, .ep = ep};
}

Routed routed_rows(const MoeShape& shape) {
  Routed routed;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
    routed.experts.push_back(
        Routings::get("sampled").assign({.kind = "sampled", .seed = 3, .skew = 0.7}, shape, rank));
    routed.weights.push_back(random_matrix(50 + rank, 1, shape.tokens * shape.top_k)[0]);
  }
  return routed;
}

// A tensor of all ranks.
std::vector<Matrix> computed(const Graph& graph, const MoeShape& shape, const CutOptions& cut,
                             const std::string& result) {
  const Routed routed = routed_rows(shape);
  RowLayout layout(shape, routed.counts(shape));
  layout.cut_at_sources(cut.sources);
  SmallRun run(graph, layout, cut, routed);
  for (const TensorNode& tensor : graph.tensors()) {
    if (!tensor.external || tensor.name == "counts" || tensor.name == "router") continue;
    for (std::uint32_t rank = 0; rank < shape.ep; ++rank) {
      const std::uint32_t seed = rank + 100 * static_cast<std::uint32_t>(tensor.name.size()) +
                                 static_cast<std::uint32_t>(tensor.name.back());
      run.set(
          rank, tensor.name,
          random_matrix(seed, static_cast<std::uint32_t>(run.get(rank, tensor.name).size()), tensor.cols));
    }
  }
  run.run(5);
  std::vector<Matrix> all;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank) all.push_back(run.get(rank, result));
  return all;
}

void check_same(const std::vector<Matrix>& a, const std::vector<Matrix>& b, double margin) {
  REQUIRE(a.size() == b.size());
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    REQUIRE(a[rank].size() == b[rank].size());
    for (std::size_t r = 0; r < a[rank].size(); ++r)
      for (std::size_t i = 0; i < a[rank][r].size(); ++i)
        CHECK(a[rank][r][i] == Approx(b[rank][r][i]).epsilon(margin).margin(margin));
  }
}

RowForm form_of(RowCrossing rows, std::vector<MoverChoice> movers = {}) { return {rows, std::move(movers)}; }

const OperatorNode& formed_op(const Graph& graph, const std::string& name) {
  for (const OperatorNode& op : graph.operators())
    if (op.name == name) return op;
  FAIL("no operator " + name);
  return graph.operators().front();
}

constexpr double kRoundedOnceMore = 0x1p-5, kSame = 0;

}  // namespace

TEST_CASE("Whoever moves rows, and however often they cross the links, the forward pass gives the same") {
  const MoeShape shape = formed_shape(GENERATE(1U, 2U, 3U));
  const Graph plain = forward_graph(shape, Window::kFull);
  const std::vector<Matrix> expected = computed(plain, shape, kFormCut, "output");
  const auto check = [&](const RowForm& form, double margin) {
    CutOptions by_source = kFormCut;
    by_source.sources = 1;
    by_source.partitions = shape.ep;
    for (const CutOptions& cut : {kFormCut, by_source})
      check_same(computed(in_form(plain, shape, {}, form), shape, cut, "output"), expected, margin);
  };
  check(form_of(RowCrossing::kOnce), kRoundedOnceMore);
  check(form_of(RowCrossing::kOnceThere), kSame);
  check(form_of(RowCrossing::kByExpert,
                {{"*Dispatch*", RowMover::kCopyEngine}, {"Combine", RowMover::kProduct}}),
        kSame);
}

TEST_CASE("Whoever moves rows, and however often they cross the links, the backward pass gives the same") {
  const MoeShape shape = formed_shape(GENERATE(1U, 2U, 3U));
  const Graph plain = backward_graph(shape, Window::kFull);
  const auto check = [&](const RowForm& form, double margin) {
    for (const char* result : {"d_tokens", "d_w1", "d_w2"})
      check_same(computed(in_form(plain, shape, {}, form), shape, kFormCut, result),
                 computed(plain, shape, kFormCut, result), margin);
  };
  check(form_of(RowCrossing::kOnce), kRoundedOnceMore);
  check(form_of(RowCrossing::kOnceThere), kSame);
  check(form_of(RowCrossing::kByExpert,
                {{"Dispatch_bwd", RowMover::kCopyEngine}, {"Combine_bwd", RowMover::kProduct}}),
        kSame);
}

TEST_CASE("A product that sends its result takes the place of Combine, one task for the rows of one source") {
  const MoeShape shape = formed_shape(2);
  const Graph graph = in_form(forward_graph(shape, Window::kTransport), shape, {},
                              form_of(RowCrossing::kByExpert, {{"Combine", RowMover::kProduct}}));
  CHECK(formed_op(graph, "GMM2").type == "GroupedMatmulSend");
  CHECK(graph.tensor(formed_op(graph, "GMM2").outputs[0]).name == "returned");
  for (const OperatorNode& op : graph.operators()) CHECK(op.name != "Combine");
  for (const TensorNode& tensor : graph.tensors()) CHECK(tensor.name != "expert_output");

  const Routed routed = routed_rows(shape);
  const RowLayout layout(shape, routed.counts(shape));
  const SmallRun run(graph, layout, kFormCut, routed);
  std::uint64_t sent = 0;
  for (const TaskView& task : run.tasks_of(0, "GMM2")) {
    Work work;
    Operators::get("GroupedMatmulSend").work(run.context(0), task, work);
    CHECK(task.outputs[0].rank == task.td.dst);
    if (task.td.dst == 0) CHECK(work.put_bytes == 0);
    sent += work.put_bytes;
  }
  std::uint64_t rows = 0;
  for (std::uint32_t e = 0; e < shape.experts_per_rank; ++e) rows += layout.received_slot(0, e, 1).size();
  CHECK(sent == rows * shape.hidden * 2);  // of bf16: all that came from the other rank goes back there
}

TEST_CASE("Movers that cannot move an operator's rows are refused") {
  const MoeShape shape = formed_shape(2);
  const Graph graph = forward_graph(shape, Window::kTransport);
  const auto with = [&](const char* op, RowMover mover) {
    const std::vector<MoverChoice> movers{{op, mover}};
    return with_movers(graph, movers);
  };
  CHECK_THROWS_WITH(with("GMM1", RowMover::kCopyEngine), Contains("'GMM1' (GroupedMatmul) puts no rows"));
  CHECK_THROWS_WITH(with("Dispatch", RowMover::kProduct), Contains("does not send a product's rows home"));
  CHECK(with("Combine_bwd", RowMover::kProduct) == graph);  // of the other pass
}

TEST_CASE("Patterns of operators take any characters for each star") {
  const MoeShape shape = formed_shape(2);
  const Graph graph = forward_graph(shape, Window::kTransport);
  const auto by_engine = [&](const std::string& pattern) {
    const std::vector<MoverChoice> movers{{pattern, RowMover::kCopyEngine}};
    return with_movers(graph, movers);
  };
  const Graph moved = by_engine("Dispatch");
  CHECK(moved != graph);
  for (const char* pattern : {"Dispatch*", "*ispatch", "D*p*tch", "*p*ch", "D**h"})
    CHECK(by_engine(pattern) == moved);
  for (const char* pattern : {"Dispatc", "D*x", "*Dispatch_bwd", ""}) CHECK(by_engine(pattern) == graph);
  CHECK(by_engine(std::string(10'000, '*') + "q") == graph);
}
