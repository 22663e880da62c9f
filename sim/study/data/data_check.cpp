#include "sim/study/data/data_check.h"

#include <algorithm>
#include <cmath>

#include "sim/experiment/run_experiment.h"
#include "sim/study/data/whole_operators.h"

namespace a3sim {
namespace {

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

std::vector<std::vector<SentRow>> sent_by_rank(const DataCase& of) {
  const MoeShape& shape = of.experiment.shape;
  std::vector<std::vector<SentRow>> sent(shape.ep);
  for (std::uint32_t rank = 0; rank < of.routed.experts.size(); ++rank)
    sent[rank] = sent_rows(shape, of.routed.experts[rank], of.routed.weights[rank]);
  return sent;
}

// Sums over K stay about as large as what is summed.
float scale_of(const TensorNode& tensor) {
  if (tensor.layout != Layout::kWeights) return 1;
  return std::exp2(-std::floor(std::log2(std::sqrt(static_cast<float>(tensor.rows)))));
}

}  // namespace

bool right(std::span<const TensorComparison> outcome) {
  return std::ranges::all_of(outcome, [](const TensorComparison& of) { return of.right(); });
}

DataCheck::DataCheck(DataCase of, std::uint64_t seed)
    : case_(std::move(of)),
      seed_(seed),
      counts_(case_.routed.counts(case_.experiment.shape)),
      sent_(sent_by_rank(case_)) {
  const RoutingCounts capacity = capacity_of(case_.experiment, counts_);
  for (std::size_t i = 0; i < case_.experiment.passes.size(); ++i) {
    const a3sim::Pass& of_pass = case_.experiment.passes[i];
    Pass& pass = passes_.emplace_back();
    pass.name = of_pass.name;
    pass.oracle = case_.oracles[i];
    pass.schedule = compile_pass(case_.experiment, of_pass, capacity).schedule;
    prepare(pass, of_pass.graph);
  }
}

void DataCheck::prepare(Pass& pass, const Graph& graph) {
  give(pass, graph);
  expect(pass, graph);
  CarriedRun carried = prepared(pass, pass.schedule);
  pass.makespan = carry(carried, {});
  pass.outcome = compare_all(pass, carried);
  if (pass.oracle != Oracle::kForward) return;
  for (const char* kept : {"received", "gate_up", "activation"}) known_[kept] = carried.tensor(kept);
}

// Draws external tensors, the same for all passes.
void DataCheck::give(Pass& pass, const Graph& graph) {
  const RowLayout layout(case_.experiment.shape, counts_);
  for (std::uint32_t t = 0; t < graph.tensors().size(); ++t) {
    const TensorNode& node = graph.tensors()[t];
    if (!node.external) continue;
    std::vector<TensorData>& values = known_[node.name];
    for (std::uint32_t rank = static_cast<std::uint32_t>(values.size()); rank < pass.schedule.size();
         ++rank) {
      const std::uint32_t rows = tensor_infos(graph, layout, RankId{rank})[t].rows;
      const std::uint64_t stream = passes_.size() << 48 | std::uint64_t{t} << 32 | rank;
      values.push_back(random_tensor(node.dtype, rows, node.cols, scale_of(node), seed_, stream));
    }
    pass.given[node.name] = values;
  }
}

void DataCheck::expect(Pass& pass, const Graph& graph) const {
  const MoeShape& shape = case_.experiment.shape;
  if (pass.oracle == Oracle::kWhole) {
    pass.expected = run_whole(graph, RowLayout(shape, counts_), sent_, pass.given);
  } else if (pass.oracle == Oracle::kSwigluAdd) {
    const Matrix sum = plain::swiglu_add(graph.tensors()[0].dtype, by_rank(pass.given.at("gate_up"))[0],
                                         by_rank(pass.given.at("other"))[0]);
    pass.expected["sum"] = to_tensors({sum}, 1);
  } else if (pass.oracle == Oracle::kGemm) {
    expect_gemm(pass, graph.tensors()[0].dtype);
  } else {
    expect_ffn(pass);
  }
}

void DataCheck::expect_ffn(Pass& pass) const {
  const MoeShape& shape = case_.experiment.shape;
  const std::uint32_t experts = shape.experts_per_rank;
  const plain::Parameters parameters{by_expert(pass.given.at("w1"), experts),
                                     by_expert(pass.given.at("w2"), experts)};
  const std::vector<Matrix> tokens = by_rank(known_.at("tokens"));
  if (pass.oracle == Oracle::kForward) {
    const plain::Forward forward = plain::forward(shape, case_.routed, parameters, tokens);
    pass.expected["output"] = to_tensors(forward.output, 1);
    return;
  }
  const plain::Backward backward =
      plain::backward(shape, case_.routed, parameters, tokens, by_rank(pass.given.at("d_output")));
  pass.expected["d_tokens"] = to_tensors(backward.d_tokens, 1);
  pass.expected["d_w1"] = to_tensors(backward.d_w1, experts);
  pass.expected["d_w2"] = to_tensors(backward.d_w2, experts);
}

// On one rank: the rows of each expert follow each other.
void DataCheck::expect_gemm(Pass& pass, DataType dtype) const {
  const TensorData &a = pass.given.at("a")[0], &b = pass.given.at("b")[0];
  const std::uint32_t experts = std::max(1U, case_.experiment.shape.experts_per_rank);
  Matrix c;
  for (std::uint32_t expert = 0, begin = 0; expert < experts; ++expert) {
    const std::uint32_t rows = case_.experiment.shape.experts() > 0 ? counts_.at(0, expert) : a.rows;
    const Matrix weights = to_matrix(b, expert * a.cols, (expert + 1) * a.cols);
    for (plain::Vector& row : plain::product(dtype, to_matrix(a, begin, begin + rows), weights))
      c.push_back(std::move(row));
    begin += rows;
  }
  pass.expected["c"] = to_tensors({c}, 1);
}

CarriedRun DataCheck::prepared(const Pass& pass, const Schedule& schedule) const {
  return {schedule, counts_, sent_, pass.given};
}

// The makespan.
Duration DataCheck::carry(CarriedRun& run, const Delays& delays) const {
  const Experiment& experiment = case_.experiment;
  const NetworkBackend& backend = backend_of(experiment);
  return run.run(experiment.hardware, backend, options_of(experiment, false), delays).makespan;
}

std::vector<TensorComparison> DataCheck::compare_all(const Pass& pass, const CarriedRun& run) const {
  std::vector<TensorComparison> outcome;
  for (const auto& [name, expected] : pass.expected) {
    const std::span<const TensorInfo> tensors = pass.schedule.front().tensors();
    const DataType dtype = std::ranges::find(tensors, name, &TensorInfo::name)->dtype;
    outcome.push_back(compare(name, dtype, expected, run.tensor(name)));
  }
  return outcome;
}

std::vector<TensorComparison> DataCheck::run(const Pass& pass, const Schedule& schedule,
                                             const Delays& delays) const {
  CarriedRun carried = prepared(pass, schedule);
  carry(carried, delays);
  return compare_all(pass, carried);
}

}  // namespace a3sim
