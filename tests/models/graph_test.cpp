#include "models/graph/graph.h"

#include <catch2/catch.hpp>

#include "models/graph/yaml_graph.h"
#include "sim/core/error.h"

using namespace a3sim;

namespace {

constexpr MoeShape kGraphShape{
    .tokens = 256, .hidden = 64, .intermediate = 32, .top_k = 2, .experts_per_rank = 4, .ep = 2};

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> all;
  for (const OpId op : graph.topological_order()) all.push_back(graph.op(op).name);
  return all;
}

Graph chain(std::initializer_list<std::pair<const char*, std::pair<int, int>>> adds) {
  Graph graph;
  for (int i = 0; i < 4; ++i) {
    graph.add_tensor(
        {std::string("t").append(std::to_string(i)), Layout::kPlain, 8, 4, DataType::kBf16, i == 0});
  }
  for (const auto& [name, ends] : adds) {
    const TensorId in{static_cast<std::uint32_t>(ends.first)}, out{static_cast<std::uint32_t>(ends.second)};
    graph.add_operator(make_node(name, "Add", {in, in}, {out}));
  }
  return graph;
}

Graph load(const std::string& file, Diagnostics& diagnostics) {
  const std::string path = std::string(A3SIM_SOURCE_DIR) + "/configs/graphs/" + file;
  const Config root = Config::load(path, {}, diagnostics);
  Graph graph = graph_from_config(root.map("graph"), scope_of(kGraphShape));
  root.finish();
  return graph;
}

std::vector<std::string> errors_of(const std::string& text) {
  Diagnostics diagnostics;
  const Config root = Config::parse(text, "g.yaml", {}, diagnostics);
  graph_from_config(root.map("graph"), scope_of(kGraphShape));
  return {diagnostics.messages().begin(), diagnostics.messages().end()};
}

const std::string kTensors = R"(graph:
  name: g
  tensors:
    - {name: a, layout: plain, rows: 8, cols: 2*intermediate}
    - {name: b, layout: plain, rows: 8, cols: intermediate}
    - {name: c, layout: plain, rows: 8, cols: intermediate}
  operators:
)";

void check_equal(const Graph& a, const Graph& b) {
  REQUIRE(a.tensors().size() == b.tensors().size());
  for (std::size_t i = 0; i < a.tensors().size(); ++i) {
    const TensorNode &x = a.tensors()[i], &y = b.tensors()[i];
    INFO(x.name);
    CHECK(std::tie(x.name, x.layout, x.rows, x.cols, x.dtype, x.external) ==
          std::tie(y.name, y.layout, y.rows, y.cols, y.dtype, y.external));
  }
  REQUIRE(a.operators().size() == b.operators().size());
  for (std::size_t i = 0; i < a.operators().size(); ++i) {
    const OperatorNode &x = a.operators()[i], &y = b.operators()[i];
    INFO(x.name);
    CHECK(std::tie(x.name, x.type, x.inputs, x.outputs, x.transposed, x.split.output_dims) ==
          std::tie(y.name, y.type, y.inputs, y.outputs, y.transposed, y.split.output_dims));
    CHECK(x.split.inherits.size() == y.split.inherits.size());
    CHECK(x.cut.has_value() == y.cut.has_value());
    if (x.cut && y.cut) CHECK(x.cut->task_rows == y.cut->task_rows);
  }
}

}  // namespace

TEST_CASE(
    "The forward graph is a chain from Dispatch to Combine, with Permute and Accumulate if all is timed") {
  CHECK(names(forward_graph(kGraphShape, Window::kTransport)) ==
        std::vector<std::string>{"Dispatch", "GMM1", "SwiGLU", "GMM2", "Combine"});
  CHECK(names(forward_graph(kGraphShape, Window::kFull)) ==
        std::vector<std::string>{"Permute", "Dispatch", "GMM1", "SwiGLU", "GMM2", "Combine", "Accumulate"});
  CHECK(forward_graph(kGraphShape, Window::kFull).stages() ==
        std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("The backward graph has both branches after Dispatch_bwd and after SwiGLU_grad") {
  const Graph graph = backward_graph(kGraphShape, Window::kTransport);
  CHECK(names(graph) == std::vector<std::string>{"Dispatch_bwd", "GMM_act_grad", "GMM_w2_grad", "SwiGLU_grad",
                                                 "GMM_gate_grad", "GMM_w1_grad", "Combine_bwd"});
  CHECK(graph.stages() == std::vector<std::uint32_t>{0, 1, 1, 2, 3, 3, 4});
}

TEST_CASE("Operators come in topological order even if readers are added before writers") {
  CHECK(names(chain({{"third", {2, 3}}, {"second", {1, 2}}, {"first", {0, 1}}})) ==
        std::vector<std::string>{"first", "second", "third"});
}

TEST_CASE("A cycle is refused with the operators on it, and only these") {
  const Graph graph = chain({{"after", {2, 3}}, {"one", {1, 2}}, {"two", {2, 1}}});
  CHECK_THROWS_WITH(graph.topological_order(),
                    Catch::Contains("one -> two -> one") || Catch::Contains("two -> one -> two"));
  CHECK_THROWS_WITH(chain({{"self", {1, 1}}}).stages(), Catch::Contains("self -> self"));
}

TEST_CASE("What no operator writes must be external to be read") {
  CHECK_THROWS_WITH(chain({{"reader", {1, 2}}}).topological_order(),
                    Catch::Contains("'reader'") && Catch::Contains("'t1'"));
}

TEST_CASE("Operators that cannot be are refused with their name and the reason") {
  Graph graph = chain({{"add", {0, 1}}});
  const TensorId t0{0}, t1{1}, t2{2};
  CHECK_THROWS_WITH(graph.add_operator(make_node("add", "Add", {t0, t0}, {t2})),
                    Catch::Contains("defined twice"));
  CHECK_THROWS_WITH(graph.add_operator(make_node("b", "Add", {t0, t0}, {t1})),
                    Catch::Contains("written by 'add'"));
  CHECK_THROWS_WITH(graph.add_operator(make_node("b", "Add", {t1, t1}, {t0})), Catch::Contains("external"));
  CHECK_THROWS_WITH(graph.add_operator(make_node("b", "Add", {t0}, {t2})),
                    Catch::Contains("2 inputs and 1 outputs"));
  CHECK_THROWS_WITH(graph.add_operator(make_node("b", "SwiGLU", {t0}, {t2})), Catch::Contains("half"));
  CHECK_THROWS_WITH(graph.add_operator(make_node("b", "Dispatch", {t0, t1}, {t2})),
                    Catch::Contains("'sent'"));
  CHECK_THROWS_WITH(make_node("b", "Bogus", {}, {}), Catch::Contains("unknown operator 'Bogus'"));
  CHECK_THROWS_AS(graph.add_tensor({"t0", Layout::kPlain, 1, 1, DataType::kBf16, false}), InputError);
  OperatorNode transposed = make_node("b", "Add", {t0, t0}, {t2});
  transposed.transposed = true;
  CHECK_THROWS_WITH(graph.add_operator(transposed), Catch::Contains("matrix"));
}

TEST_CASE("Matrix operators check widths with their operands as they are multiplied") {
  Graph graph;
  const auto add = [&](const char* name, Layout layout, std::uint32_t rows, std::uint32_t cols) {
    return graph.add_tensor({name, layout, rows, cols, DataType::kBf16, false});
  };
  const TensorId x = add("x", Layout::kReceived, 0, 6), w = add("w", Layout::kWeights, 6, 10);
  const TensorId y = add("y", Layout::kReceived, 0, 10), z = add("z", Layout::kReceived, 0, 10);
  OperatorNode node = make_node("mm", "GroupedMatmul", {x, w}, {y});
  node.transposed = true;
  CHECK_THROWS_WITH(graph.add_operator(node), Catch::Contains("6 columns"));
  node.transposed = false;
  CHECK_NOTHROW(graph.add_operator(node));
  CHECK_THROWS_WITH(graph.add_operator(make_node("bad", "GroupedMatmul", {x, y}, {z})),
                    Catch::Contains("'weights'"));
  CHECK_THROWS_WITH(graph.add_operator(make_node("grad", "GroupedMatmulWeightGrad", {x, y}, {z})),
                    Catch::Contains("'weights'"));
}

TEST_CASE("A graph written out in YAML equals the built-in one") {
  Diagnostics diagnostics;
  check_equal(load("forward.yaml", diagnostics), forward_graph(kGraphShape, Window::kFull));
  CHECK(names(load("diamond.yaml", diagnostics)).size() == 6);
  CHECK_NOTHROW(diagnostics.throw_if_any());
}

TEST_CASE("Everything wrong with a YAML graph is noted at its place") {
  const auto errors = errors_of(R"(graph:
  name: g
  tensors:
    - {name: a, layout: plain, rows: 8, cols: 3*hiden}
    - {name: b, layout: sent, rows: 8, cols: hidden}
    - {name: c, layout: plane, rows: 0, cols: 4}
  operators:
    - {name: One, type: SwiGLUU, inputs: [a], outputs: [c]}
    - {name: Two, type: Add, inputs: [a, bb], outputs: [b], speed: 3}
)");
  const auto has = [&](const std::string& place, const std::string& what) {
    INFO(place << " " << what);
    CHECK(std::any_of(errors.begin(), errors.end(), [&](const std::string& error) {
      return error.find(place) == 0 && error.find(what) != std::string::npos;
    }));
  };
  has("g.yaml:4:", "'3*hiden' is not a size");
  has("g.yaml:5:", "rows");
  has("g.yaml:6:", "plane");
  has("g.yaml:6:", "'0' is not a size");
  has("g.yaml:8:", "did you mean 'SwiGLU'");
  has("g.yaml:9:", "no tensor 'bb'; known: a, b");
  has("g.yaml:9:", "speed");
}

TEST_CASE("A YAML graph with sound parts is refused as a whole for cycles, strays and what does not fit") {
  const auto only = [](const std::string& operators) {
    const auto errors = errors_of(kTensors + operators);
    return errors.size() == 1 ? errors[0] : std::to_string(errors.size()).append(" errors");
  };
  CHECK_THAT(only("    - {name: S, type: SwiGLU, inputs: [a], outputs: [b]}\n"),
             Catch::Contains("'c' is of no operator"));
  CHECK_THAT(only("    - {name: S, type: SwiGLU, inputs: [b], outputs: [c]}\n"), Catch::Contains("half"));
  CHECK_THAT(only("    - {name: X, type: Add, inputs: [b, b], outputs: [c]}\n"
                  "    - {name: Y, type: Add, inputs: [c, c], outputs: [b]}\n"),
             Catch::Contains("cycle"));
  CHECK_THAT(only("    - {name: J, type: Join, inputs: [], outputs: []}\n"),
             Catch::Contains("unknown operator 'Join'"));
  CHECK(errors_of(kTensors + "    - {name: S, type: SwiGLU, inputs: [a], outputs: [b], split: {rows: 4}}\n"
                             "    - {name: T, type: Add, inputs: [b, b], outputs: [c]}\n")
            .empty());
  CHECK(errors_of("graph: {name: g}\n").size() >= 1);
}
