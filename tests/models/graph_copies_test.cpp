#include <algorithm>
#include <catch2/catch.hpp>

#include "models/graph/batches.h"
#include "models/graph/columns.h"
#include "models/graph/counts_exchange.h"
#include "sim/core/error.h"
#include "tests/models/shipped_graph.h"

using namespace a3sim;
using test::tensor_named;

namespace {

constexpr MoeShape kCopied{
    .tokens = 64, .hidden = 48, .intermediate = 16, .top_k = 2, .experts_per_rank = 2, .ep = 2};

std::vector<std::string> operator_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const OperatorNode& op : graph.operators()) names.push_back(op.name);
  return names;
}

const OperatorNode& op_named(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.operators(), name, &OperatorNode::name);
  REQUIRE(found != graph.operators().end());
  return *found;
}

std::string input_of(const Graph& graph, const std::string& op, std::size_t input) {
  return graph.tensor(op_named(graph, op).inputs[input]).name;
}

}  // namespace

TEST_CASE("in columns, the last product, Combine and the sum stand once for each block, block by block") {
  const Graph graph = in_columns(forward_graph(kCopied, Window::kFull), 3);
  CHECK(operator_names(graph) == std::vector<std::string>{"Permute", "Dispatch", "GMM1", "SwiGLU", "GMM2_c0",
                                                          "Combine_c0", "Accumulate_c0", "GMM2_c1",
                                                          "Combine_c1", "Accumulate_c1", "GMM2_c2",
                                                          "Combine_c2", "Accumulate_c2"});
  for (const char* name : {"w2_c0", "expert_output_c1", "returned_c2", "output_c0"})
    CHECK(tensor_named(graph, name).cols == kCopied.hidden / 3);
  CHECK(tensor_named(graph, "w2_c2").rows == kCopied.intermediate);
  CHECK(input_of(graph, "GMM2_c2", 0) == "activation");
  CHECK(input_of(graph, "Combine_c1", 0) == "expert_output_c1");
  CHECK(input_of(graph, "Combine_c1", 1) == "counts");
  CHECK(std::ranges::count(graph.tensors(), "w2", &TensorNode::name) == 0);
}

TEST_CASE("in columns, transposed weights are cut along their rows") {
  const Graph graph = in_columns(backward_graph(kCopied, Window::kTransport), 2);
  CHECK(op_named(graph, "GMM_gate_grad_c1").transposed);
  const TensorNode& weights = tensor_named(graph, "w1_c1");
  CHECK(weights.rows == kCopied.hidden / 2);
  CHECK(weights.cols == 2 * kCopied.intermediate);
  CHECK(tensor_named(graph, "d_received_c0").cols == kCopied.hidden / 2);
  CHECK(input_of(graph, "GMM_w1_grad", 0) == "received");
}

TEST_CASE("columns that blocks do not divide are refused, and one block is the graph") {
  const Graph graph = forward_graph(kCopied, Window::kTransport);
  CHECK_THROWS_AS(in_columns(graph, 5), InputError);
  CHECK(in_columns(graph, 1) == graph);
}

TEST_CASE("micro-batches share weights and counts, and nothing else") {
  const Graph one = forward_graph(kCopied, Window::kTransport), graph = in_batches(one, 3);
  CHECK(graph.operators().size() == 3 * one.operators().size());
  CHECK(graph.tensors().size() == 3 * (one.tensors().size() - 3) + 3);  // w1, w2, counts
  CHECK(input_of(graph, "GMM1_b2", 0) == "received_b2");
  CHECK(input_of(graph, "GMM1_b2", 1) == "w1");
  CHECK(input_of(graph, "Combine_b1", 1) == "counts");
  CHECK(in_batches(one, 1) == one);
}

TEST_CASE("a micro-batch adds its gradients to the sums of the one before") {
  const Graph graph = in_batches(backward_graph(kCopied, Window::kTransport, WeightGradients::kAddFp32), 3);
  CHECK(input_of(graph, "AssignAdd_w1", 1) == "sum_before_w1");
  CHECK(input_of(graph, "AssignAdd_w1_b1", 1) == "sum_w1");
  CHECK(input_of(graph, "AssignAdd_w1_b2", 1) == "sum_w1_b1");
  CHECK(input_of(graph, "AssignAdd_w2_b2", 0) == "d_w2_b2");
}

TEST_CASE(
    "rows wait for a row of counts from every rank; where they are pulled, it is sent once its rank's rows "
    "are there") {
  for (const bool pull : {false, true}) {
    for (const Window window : {Window::kTransport, Window::kFull}) {
      const Graph graph = with_counts(forward_graph(kCopied, window), kCopied, pull);
      const OperatorNode &dispatch = op_named(graph, "Dispatch"), &counts = op_named(graph, "Counts");
      CHECK(dispatch.type == (pull ? "Pull" : "Dispatch"));
      REQUIRE(dispatch.holds.size() == 1);
      CHECK(graph.writer(dispatch.holds[0].tensor) ==
            OpId{static_cast<std::uint32_t>(&counts - graph.operators().data())});
      CHECK(tensor_named(graph, "counts_rows").rows == kCopied.ep);
      CHECK(counts.holds.size() == (pull && window == Window::kFull ? 1 : 0));
    }
  }
  const Graph backward = with_counts(backward_graph(kCopied, Window::kTransport), kCopied, true);
  CHECK(op_named(backward, "Dispatch_bwd").type == "Pull");
  CHECK(op_named(backward, "Counts_bwd").type == "AllGather");
}

TEST_CASE("holds lead to the same tensors in blocks of columns and in micro-batches") {
  const Graph counted = with_counts(forward_graph(kCopied, Window::kFull), kCopied, true);
  const auto held = [](const Graph& graph, const std::string& op) {
    return graph.tensor(op_named(graph, op).holds.at(0).tensor).name;
  };
  CHECK(held(in_columns(counted, 2), "Dispatch") == "counts_rows");
  CHECK(held(in_columns(counted, 2), "Counts") == "sent");
  CHECK(held(in_batches(in_columns(counted, 2), 2), "Dispatch_b1") == "counts_rows_b1");
}

TEST_CASE("an operator's name says its micro-batch") {
  CHECK(batch_of("GMM1") == 0);
  CHECK(batch_of("Dispatch_bwd") == 0);
  CHECK(batch_of("Dispatch_bwd_b1") == 1);
  CHECK(batch_of("GMM2_c3_b12") == 12);
  CHECK(batch_of("GMM2_b1x") == 0);
}
