#include "sim/study/data/data_case.h"

#include <algorithm>
#include <fstream>

#include "sim/core/rng.h"
#include "sim/study/data/case_parts.h"

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
  if (graph.tensors().size() != 3) return false;
  const TensorNode &a = graph.tensors()[0], &c = graph.tensors()[2];
  return same_graph(graph, gemm_graph(a.rows, c.cols, a.cols, a.layout == Layout::kReceived, a.dtype));
}

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

// Rows that are sent come from tokens, and backward reads what forward kept.
void complete_passes(DataCase& of) {
  Experiment& experiment = of.experiment;
  experiment.window = Window::kFull;
  std::vector<Pass> passes;
  bool forward = false;
  for (Pass& pass : experiment.passes) {
    const Oracle oracle = oracle_of(pass.graph, experiment.shape);
    if (oracle == Oracle::kBackward && !forward) {
      passes.push_back({"forward", forward_graph(experiment.shape, Window::kFull)});
      of.oracles.push_back(Oracle::kForward);
    }
    forward |= oracle == Oracle::kForward;
    if (oracle == Oracle::kForward) pass.graph = forward_graph(experiment.shape, Window::kFull);
    if (oracle == Oracle::kBackward) pass.graph = backward_graph(experiment.shape, Window::kFull);
    passes.push_back(std::move(pass));
    of.oracles.push_back(oracle);
  }
  experiment.passes = std::move(passes);
}

}  // namespace

DataCase data_case(Experiment experiment, plain::Routed routed, std::uint64_t seed) {
  DataCase result{std::move(experiment), {}, std::move(routed), {}};
  for (std::uint32_t rank = 0; rank < result.routed.experts.size(); ++rank) {
    Rng rng(seed, rank);
    plain::Vector& weights = result.routed.weights.emplace_back(result.routed.experts[rank].size());
    for (float& weight : weights) weight = static_cast<float>(rng.uniform());
  }
  complete_passes(result);
  return result;
}

plain::Routed routed_by(const RoutingSpec& spec, const MoeShape& shape) {
  plain::Routed routed;
  if (shape.experts() == 0) return routed;
  for (std::uint32_t rank = 0; rank < shape.ep; ++rank)
    routed.experts.push_back(Routings::get(spec.kind).assign(spec, shape, rank));
  return routed;
}

DataCase full_case(const std::filesystem::path& file, std::span<const std::string> overrides,
                   std::uint64_t seed) {
  Experiment experiment = load_experiment(file, overrides);
  plain::Routed routed = routed_by(experiment.routing, experiment.shape);
  DataCase result = data_case(std::move(experiment), std::move(routed), seed);
  result.shape = "the configured shape";
  return result;
}

Bytes data_bytes(const DataCase& of) {
  const Experiment& experiment = of.experiment;
  const RoutingCounts counts = of.routed.counts(experiment.shape);
  const RowLayout layout(experiment.shape, counts);
  std::int64_t elements = 0;
  for (const Pass& pass : experiment.passes) {
    for (std::uint32_t rank = 0; rank < experiment.shape.ep; ++rank) {
      for (const TensorInfo& tensor : tensor_infos(pass.graph, layout, RankId{rank}))
        elements += std::int64_t{tensor.rows} * tensor.cols;
    }
  }
  // Each tensor as it is carried, and once more as it is given, expected or kept.
  constexpr std::int64_t kCopies = 2;
  return Bytes{elements} * (kCopies * sizeof(float));
}

Bytes available_memory() {
  std::ifstream file("/proc/meminfo");
  std::int64_t kib = 0;
  for (std::string key; file >> key;) {
    if (key == "MemAvailable:" && file >> kib) return Bytes{kib << 10};
  }
  throw RunError("/proc/meminfo does not say how much memory is available");
}

}  // namespace a3sim
