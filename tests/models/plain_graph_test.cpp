#include "models/graph/plain_graph.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/models/shipped_graph.h"

using namespace a3sim;
using a3sim::test::shipped_graph;
using a3sim::test::tensor_named;

// Graphs of operators without a model: sizes by name, ranks, types and experts of their own.
namespace {

std::string refusal_of(const std::string& file, const std::string& values) {
  try {
    shipped_graph(file, values);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a size is what its expression says of other sizes") {
  const SizeSymbols sizes{{"m", 12}, {"ranks", 4}, {"tiles", 5}, {"big", 1U << 30}};
  const auto value = [&](const char* text) {
    const SizeValue size = evaluate_size(text, sizes);
    CHECK(size.wrong.empty());
    return size.value;
  };
  CHECK(value("7") == 7);
  CHECK(value(" 2 * m ") == 24);
  CHECK(value("m/ranks") == 3);
  CHECK(value("(m + 2*tiles) / 2 - 1") == 10);
  CHECK(value("ceil(m/tiles)") == 3);
  CHECK(value("max(1, floor(m/tiles / 3))") == 1);
  CHECK(value("min(m, tiles)") == 5);
  CHECK(value("big + (big - 1)") == 2147483647);
  CHECK(evaluate_size("m/ranks + m", sizes).names == std::vector<std::string>{"m", "ranks"});
}

TEST_CASE("what is no size says why") {
  const SizeSymbols sizes{{"m", 13}, {"ranks", 4}, {"big", 1U << 30}};
  const auto why = [&](const char* text) { return evaluate_size(text, sizes).wrong; };
  using Catch::Contains;
  CHECK_THAT(why("m/ranks"), Contains("it is 3.25, where m is 13 and ranks is 4, expected a whole number"));
  CHECK_THAT(why("m - 13"), Contains("it is 0, where m is 13, expected 1 to 2147483647"));
  CHECK_THAT(why("2*big"), Contains("it is 2147483648"));
  CHECK_THAT(why("m/(ranks - 4)"), Contains("divides by 0"));
  CHECK_THAT(why("2*rank"), Contains("no size 'rank'; did you mean 'ranks'?"));
  for (const char* wrong : {"", "2*", "(m", "m, 2", "m = 3", "m ranks", "floor()", "'m'", "-1", "1.5"})
    CHECK_FALSE(why(wrong).empty());
}

TEST_CASE("sizes in a configuration are those of its graph") {
  const PlainGraph plain =
      shipped_graph("swiglu_add.yaml", "sizes: {rows: 11, cols: 5, tiles: 3}, dtype: fp16");
  CHECK(tensor_named(plain.graph, "gate_up").cols == 10);
  for (const TensorNode& tensor : plain.graph.tensors()) {
    CHECK(tensor.rows == 11);
    CHECK(tensor.dtype == DataType::kFp16);
  }
  for (const OperatorNode& node : plain.graph.operators()) CHECK(node.cut->task_rows == 4);
  CHECK(plain.shape.ep == 1);
  CHECK(plain.shape.experts() == 0);
}

TEST_CASE("a group divides sizes among its ranks, which must come out even") {
  const std::string sizes = "sizes: {m: 24, n: 5, k: 6}, ranks: ";
  CHECK(tensor_named(shipped_graph("allgather_product.yaml", sizes + "3").graph, "a_shard").rows == 8);
  const PlainGraph scattered = shipped_graph("product_reduce_scatter.yaml", sizes + "2", 3);
  CHECK(scattered.shape.ep == 2);
  CHECK(scattered.graph.operators()[2].cut->task_rows == 2);  // 12 rows in two tasks for each of three AIVs
  const std::string odd = refusal_of("allgather_product.yaml", sizes + "5");
  CHECK_THAT(odd,
             Catch::StartsWith(
                 "test.yaml:2:20: graph.sizes.m: graph.tensors.1.rows is m/ranks, and it is 4.8, where m "
                 "is 24 and ranks is 5, expected a whole number"));
  CHECK(odd.find('\n') == std::string::npos);
}

TEST_CASE("the type of a graph's results is its own, those between keep the graph's") {
  const Graph graph =
      shipped_graph("product_reduce_scatter.yaml", "sizes: {m: 4, n: 5, k: 6}, dtype: fp16").graph;
  for (const TensorNode& tensor : graph.tensors()) CHECK(tensor.dtype == DataType::kFp16);
  const std::string product = "sizes: {m: 4, n: 5, k: 6}, dtype: fp16, out: ";
  const Graph summed = shipped_graph("product.yaml", product + "fp32").graph;
  CHECK(tensor_named(summed, "a").dtype == DataType::kFp16);
  CHECK(tensor_named(summed, "c").dtype == DataType::kFp32);
  CHECK_THAT(refusal_of("product.yaml", product + "int8"),
             Catch::Contains("a product of fp16 is fp16 or, as it was summed, fp32"));
}

TEST_CASE("experts share received rows; without experts these are plain") {
  const std::string sizes = "sizes: {m: 9, n: 5, k: 6}";
  const PlainGraph one = shipped_graph("product.yaml", sizes),
                   many = shipped_graph("product.yaml", sizes + ", experts: 4");
  for (const TensorNode& tensor : one.graph.tensors()) CHECK(tensor.layout == Layout::kPlain);
  CHECK(tensor_named(many.graph, "a").layout == Layout::kReceived);
  CHECK(tensor_named(many.graph, "b").layout == Layout::kWeights);
  CHECK(many.shape.tokens * many.shape.top_k == 9);
  CHECK(many.shape.experts() == 4);
  using Catch::Contains;
  CHECK_THAT(refusal_of("product.yaml", sizes + ", experts: 4, ranks: 2"),
             Contains("graph.experts: ") && Contains("model"));
  CHECK_THAT(refusal_of("swiglu_add.yaml", "sizes: {rows: 1, cols: 1, tiles: 1}, experts: 4"),
             Contains("no tensor is laid out 'received'"));
  CHECK_THAT(refusal_of("product.yaml",
                        sizes + ", experts: 2, tensors: [{name: a, layout: received, rows: m, cols: k}, "
                                "{name: b, layout: weights, rows: k, cols: n}, "
                                "{name: c, layout: received, rows: n, cols: n}]"),
             Contains("'a' has 9 rows of all experts, 'c' 5"));
}

TEST_CASE("sizes that are wrong are refused where they stand") {
  using Catch::Contains;
  const auto why = [](const std::string& sizes) {
    return refusal_of("product.yaml", "sizes: {" + sizes + "}");
  };
  CHECK_THAT(why("m: 1, n: 1"), Contains("'k' is not a size: there is no size 'k'") &&
                                    Contains("product.yaml:6:") && Contains("graph.sizes"));
  CHECK_THAT(
      why("m: 1, n: 1, k: 1, M: 2"),
      Contains("test.yaml:2:38: graph.sizes.M: no size of the graph depends on it; did you mean 'm'?"));
  CHECK_THAT(why("m: 0, n: 1, k: 1"), Contains("graph.sizes.m: 0 is out of range"));
  CHECK_THAT(why("m: 1, n: 1, k: 1, aiv: 2"), Contains("graph.sizes.aiv: ") && Contains("another name"));
  CHECK_THAT(why("m: 1, n: 1, k: 1, m-n: 2"), Contains("graph.sizes.m-n: ") && Contains("letters"));
  CHECK_THAT(why("m: 1, n: 1, k: 1, 2x: 2"), Contains("graph.sizes.2x: ") && Contains("letters"));
  CHECK_THAT(refusal_of("row_puts.yaml", ""),
             Contains("the routing of a model says what is laid out 'sent'"));
}

TEST_CASE(
    "kernels have no tiles: products and puts are whole, elementwise operators have a slab per worker") {
  const PlainGraph gathered = shipped_graph("allgather_product.yaml", "sizes: {m: 8, n: 5, k: 6}, ranks: 2");
  CHECK(gathered.graph.operators()[0].split.output_dims == std::vector<int>{0});
  const Graph whole = without_tiles(gathered.graph, 3);
  for (const OperatorNode& node : whole.operators()) CHECK(node.split.output_dims == std::vector<int>{-1});
  const PlainGraph tiles = shipped_graph("swiglu_add.yaml", "sizes: {rows: 10, cols: 5, tiles: 5}");
  const Graph slabs = without_tiles(tiles.graph, 3), own = without_tiles(tiles.graph, {});
  for (const OperatorNode& node : slabs.operators()) CHECK(node.cut->task_rows == 4);
  for (const OperatorNode& node : own.operators()) CHECK(node.cut->task_rows == 2);
}
