#include "sim/study/data/oracle.h"

#include <algorithm>

#include "sim/study/data/data_case.h"
#include "sim/study/data/whole_operators.h"

namespace a3sim {
namespace {

bool same_tensor(const TensorNode& a, const TensorNode& b) {
  return a.name == b.name && a.layout == b.layout && a.rows == b.rows && a.cols == b.cols &&
         a.dtype == b.dtype && a.external == b.external;
}

// The same operators on the same tensors, however they are split.
bool same_graph(const Graph& a, const Graph& b) {
  const auto operands = [](const Graph& graph, const OperatorNode& node) {
    std::vector<TensorNode> all;
    for (const TensorId id : node.inputs) all.push_back(graph.tensor(id));
    for (const TensorId id : node.outputs) all.push_back(graph.tensor(id));
    return all;
  };
  return std::ranges::equal(a.operators(), b.operators(), [&](const OperatorNode& x, const OperatorNode& y) {
    return x.name == y.name && x.type == y.type && x.transposed == y.transposed &&
           std::ranges::equal(operands(a, x), operands(b, y), same_tensor);
  });
}

bool is_swiglu_add(const Graph& graph) {
  if (graph.tensors().size() != 4 || graph.tensors()[1].cols == 0) return false;
  const TensorNode& activation = graph.tensors()[1];
  return same_graph(graph, swiglu_add_graph(activation.rows, activation.cols, 1, activation.dtype));
}

bool is_gemm(const Graph& graph) {
  if (graph.tensors().size() != 3 || graph.operators().size() != 1 ||
      graph.operators()[0].type != "GroupedMatmul")
    return false;
  const TensorNode &a = graph.tensors()[0], &c = graph.tensors()[2];
  return same_graph(graph,
                    gemm_graph(a.rows, c.cols, a.cols, a.layout == Layout::kReceived, a.dtype, c.dtype));
}

using plain::Matrix;

Matrix to_matrix(const TensorData& tensor, std::uint32_t begin, std::uint32_t end) {
  Matrix matrix;
  for (std::uint32_t r = begin; r < end; ++r) matrix.emplace_back(tensor.row(r).begin(), tensor.row(r).end());
  return matrix;
}

std::vector<Matrix> by_rank(const std::vector<TensorData>& tensors) {
  std::vector<Matrix> all;
  for (const TensorData& tensor : tensors) all.push_back(to_matrix(tensor, 0, tensor.rows));
  return all;
}

std::vector<Matrix> by_expert(const std::vector<TensorData>& tensors, std::uint32_t experts_per_rank) {
  std::vector<Matrix> all;
  for (const TensorData& tensor : tensors) {
    const std::uint32_t rows = tensor.rows / experts_per_rank;
    for (std::uint32_t e = 0; e < experts_per_rank; ++e)
      all.push_back(to_matrix(tensor, e * rows, (e + 1) * rows));
  }
  return all;
}

// As many matrices behind one another as a rank has.
std::vector<TensorData> to_tensors(const std::vector<Matrix>& matrices, std::size_t a_rank) {
  std::vector<TensorData> tensors(matrices.size() / a_rank);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    TensorData& tensor = tensors[i / a_rank];
    for (const plain::Vector& row : matrices[i]) {
      tensor.values.insert(tensor.values.end(), row.begin(), row.end());
      tensor.cols = static_cast<std::uint32_t>(row.size());
      ++tensor.rows;
    }
  }
  return tensors;
}

Tensors expected_forward(const DataCase& of, const plain::Parameters& parameters, const Tensors& known) {
  return {{"output",
           to_tensors(plain::forward(of.experiment.shape, of.routed, parameters, by_rank(known.at("tokens"))),
                      1)}};
}

Tensors expected_backward(const DataCase& of, const plain::Parameters& parameters, const Tensors& known) {
  const std::uint32_t experts = of.experiment.shape.experts_per_rank;
  const plain::Backward backward = plain::backward(
      of.experiment.shape, of.routed, parameters, by_rank(known.at("tokens")), by_rank(known.at("d_output")));
  return {{"d_tokens", to_tensors(backward.d_tokens, 1)},
          {"d_w1", to_tensors(backward.d_w1, experts)},
          {"d_w2", to_tensors(backward.d_w2, experts)}};
}

Tensors expected_sum(const Graph& graph, const Tensors& known) {
  return {{"sum", to_tensors({plain::swiglu_add(graph.tensors()[0].dtype, by_rank(known.at("gate_up"))[0],
                                                by_rank(known.at("other"))[0])},
                             1)}};
}

// On one rank: the rows of each expert follow each other.
Tensors expected_product(const DataCase& of, const Graph& graph, const Tensors& known) {
  const MoeShape& shape = of.experiment.shape;
  const RoutingCounts counts = of.routed.counts(shape);
  const TensorData &a = known.at("a")[0], &b = known.at("b")[0];
  Matrix c;
  for (std::uint32_t expert = 0, begin = 0; expert < std::max(1U, shape.experts_per_rank); ++expert) {
    const std::uint32_t rows = shape.experts() > 0 ? counts.at(0, expert) : a.rows;
    const Matrix weights = to_matrix(b, expert * a.cols, (expert + 1) * a.cols);
    std::ranges::move(plain::product(graph.tensors()[0].dtype, to_matrix(a, begin, begin + rows), weights),
                      std::back_inserter(c));
    begin += rows;
  }
  return {{"c", to_tensors({c}, 1)}};
}

}  // namespace

Oracle oracle_of(const Graph& graph, const MoeShape& shape) {
  if (is_gemm(graph)) return Oracle::kGemm;
  if (is_swiglu_add(graph)) return Oracle::kSwigluAdd;
  if (shape.experts() == 0) return Oracle::kWhole;
  for (const Window window : {Window::kTransport, Window::kFull}) {
    if (same_graph(graph, forward_graph(shape, window))) return Oracle::kForward;
    if (same_graph(graph, backward_graph(shape, window))) return Oracle::kBackward;
  }
  return Oracle::kWhole;
}

Tensors expected_tensors(const DataCase& of, std::size_t pass, const Tensors& known) {
  const Graph& graph = of.experiment.passes[pass].graph;
  if (of.oracles[pass] == Oracle::kWhole) return run_whole(of, graph, known);
  if (of.oracles[pass] == Oracle::kSwigluAdd) return expected_sum(graph, known);
  if (of.oracles[pass] == Oracle::kGemm) return expected_product(of, graph, known);
  const std::uint32_t experts = of.experiment.shape.experts_per_rank;
  const plain::Parameters parameters{by_expert(known.at("w1"), experts), by_expert(known.at("w2"), experts)};
  return of.oracles[pass] == Oracle::kForward ? expected_forward(of, parameters, known)
                                              : expected_backward(of, parameters, known);
}

}  // namespace a3sim
