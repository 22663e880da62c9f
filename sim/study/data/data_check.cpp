#include "sim/study/data/data_check.h"

#include <algorithm>
#include <cmath>

#include "sim/experiment/run_experiment.h"

namespace a3sim {
namespace {

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
    give(pass, of_pass.graph);
    pass.expected = expected_tensors(case_, i, known_);
    CarriedRun carried(pass.schedule, counts_, sent_, pass.given);
    pass.makespan = carry(carried, {});
    pass.outcome = compare_all(pass, carried);
    if (pass.oracle != Oracle::kForward) continue;
    for (const char* kept : {"received", "gate_up", "activation"}) known_[kept] = carried.tensor(kept);
  }
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

// Returns the makespan.
Duration DataCheck::carry(CarriedRun& run, const Delays& delays) const {
  const Experiment& of = case_.experiment;
  return run.run(of.hardware, backend_of(of), options_of(of, false), delays).makespan;
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
  CarriedRun carried(schedule, counts_, sent_, pass.given);
  carry(carried, delays);
  return compare_all(pass, carried);
}

}  // namespace a3sim
