#include "sim/check/data_case.h"

#include "models/operators/operator.h"
#include "sim/core/rng.h"

namespace a3sim {
namespace {

// Adds the operators that send rows from tokens, and the forward pass that backward reads from.
void complete_passes(DataCase& data_case) {
  Experiment& experiment = data_case.experiment;
  experiment.window = Window::kFull;
  std::vector<Pass> passes;
  bool forward = false;
  for (Pass& pass : experiment.passes) {
    const Oracle oracle = oracle_of(pass.graph, experiment.shape);
    if (oracle == Oracle::kBackward && !forward) {
      passes.push_back({"forward", forward_graph(experiment.shape, Window::kFull)});
      data_case.oracles.push_back(Oracle::kForward);
    }
    forward |= oracle == Oracle::kForward;
    if (oracle == Oracle::kForward) pass.graph = forward_graph(experiment.shape, Window::kFull);
    if (oracle == Oracle::kBackward) pass.graph = backward_graph(experiment.shape, Window::kFull);
    passes.push_back(std::move(pass));
    data_case.oracles.push_back(oracle);
  }
  experiment.passes = std::move(passes);
}

}  // namespace

namespace {

void draw_weights(DataCase& data_case, std::uint64_t seed) {
  for (std::uint32_t rank = 0; rank < data_case.routed.experts.size(); ++rank) {
    Rng rng(seed, rank);
    plain::Vector& weights = data_case.routed.weights.emplace_back(data_case.routed.experts[rank].size());
    for (float& weight : weights) weight = static_cast<float>(rng.uniform());
  }
}

}  // namespace

DataCase data_case(Experiment experiment, plain::Routed routed, std::uint64_t seed) {
  DataCase result{std::move(experiment), {}, std::move(routed), {}};
  draw_weights(result, seed);
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

DataCase compiled_case(const std::filesystem::path& file, std::span<const std::string> overrides,
                       std::uint64_t seed) {
  Experiment experiment = load_experiment(file, overrides);
  plain::Routed routed = routed_by(experiment.routing, experiment.shape);
  DataCase result{std::move(experiment), {}, std::move(routed), "the shape that the schedules are for"};
  draw_weights(result, seed);
  if (result.experiment.window == Window::kFull) {
    complete_passes(result);
    return result;
  }
  for (const Pass& pass : result.experiment.passes) {
    const Oracle oracle = oracle_of(pass.graph, result.experiment.shape);
    const bool of_tokens = oracle == Oracle::kForward || oracle == Oracle::kBackward;
    result.oracles.push_back(of_tokens ? Oracle::kWhole : oracle);
  }
  return result;
}

std::vector<std::vector<SentRow>> sent_by_rank(const DataCase& data_case) {
  std::vector<std::vector<SentRow>> sent(data_case.experiment.shape.ep);
  for (std::uint32_t rank = 0; rank < data_case.routed.experts.size(); ++rank)
    sent[rank] =
        sent_rows(data_case.experiment.shape, data_case.routed.experts[rank], data_case.routed.weights[rank]);
  return sent;
}

Bytes data_bytes(const DataCase& data_case) {
  const Experiment& experiment = data_case.experiment;
  const RoutingCounts counts = data_case.routed.counts(experiment.shape);
  const RowLayout layout(experiment.shape, counts);
  std::int64_t elements = 0;
  for (const Pass& pass : experiment.passes) {
    for (std::uint32_t rank = 0; rank < experiment.shape.ep; ++rank) {
      for (const TensorInfo& tensor : tensor_infos(pass.graph, layout, RankId{rank}))
        elements += std::int64_t{tensor.rows} * tensor.cols;
    }
  }
  // Each tensor is there as carried, and as given, expected or kept.
  constexpr std::int64_t kCopies = 2;
  return Bytes{elements} * (kCopies * sizeof(float));
}

double data_products(const DataCase& data_case) {
  const Experiment& experiment = data_case.experiment;
  const RowLayout layout(experiment.shape, data_case.routed.counts(experiment.shape));
  double products = 0;
  for (const Pass& pass : experiment.passes) {
    for (std::uint32_t rank = 0; rank < experiment.shape.ep; ++rank) {
      const std::vector<TensorInfo> tensors = tensor_infos(pass.graph, layout, RankId{rank});
      for (const OperatorNode& node : pass.graph.operators()) {
        if (Operators::get(node.type).unit() != CoreUnit::kMatrix) continue;
        const TensorInfo &in = tensors[index(node.inputs.front())],
                         &out = tensors[index(node.outputs.front())];
        products += static_cast<double>(in.rows) * in.cols * out.cols;
      }
    }
  }
  return products;
}

}  // namespace a3sim
