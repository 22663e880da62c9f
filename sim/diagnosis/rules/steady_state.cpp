#include "sim/diagnosis/rules/steady_state.h"

#include <algorithm>

#include "sim/diagnosis/rules/step_path.h"
#include "traces/analysis/segments.h"
#include "traces/analysis/stretches.h"

namespace a3sim {

namespace {

void add_operators(const FullStep& step, SteadyState& to) {
  std::map<std::uint32_t, Stretches> cubes;  // by rank
  for (const OperatorRecord& record : step.operators)
    if (record.lane == Lane::kCompute && record.core == CoreKind::kCube)
      cubes[record.rank].emplace_back(record.start, record.end);
  for (auto& [rank, stretches] : cubes) unite(stretches);
  for (const OperatorRecord& record : step.operators) {
    if (record.lane != Lane::kCompute || record.rank >= to.mean.size()) continue;
    SteadyState::Operator& op = to.operators[{record.pass, record.op, record.rank}];
    op.run += picoseconds(record.run);
    op.arithmetic += picoseconds(record.arithmetic);
    op.operations += record.operations;
    op.hbm_bytes += record.hbm_bytes;
    op.l2_bytes += record.l2_bytes;
    ++op.steps;
    if (!op.one) op.one = &record;
    const bool cube = record.core == CoreKind::kCube;
    const Duration beside =
        cube ? Duration::zero() : covered(cubes[record.rank], {}, record.start, record.end);
    op.exposed += cube ? picoseconds(record.run) / to.workers(record.core)
                       : picoseconds(record.end - record.start - beside);
  }
}

}  // namespace

std::optional<SteadyState::Lanes> SteadyState::lanes(std::uint32_t rank) const {
  Lanes lanes;
  double steps = 0;
  for (const FullStep& step : full) {
    const Segments own = segments(step, rank);
    if (own.total() <= Duration::zero()) continue;
    lanes.overlap += picoseconds(own.overlap);
    lanes.compute += picoseconds(own.compute);
    lanes.communication += picoseconds(own.communication);
    lanes.total += picoseconds(own.total());
    ++steps;
  }
  if (steps == 0) return {};
  for (double* value : {&lanes.overlap, &lanes.compute, &lanes.communication, &lanes.total}) *value /= steps;
  return lanes;
}

std::vector<double> SteadyState::for_all_ranks(const std::map<std::uint32_t, double>& recorded) const {
  double sum = 0;
  for (const auto& [rank, value] : recorded) sum += value;
  std::vector<double> all(mean.size(), recorded.empty() ? 0 : sum / static_cast<double>(recorded.size()));
  for (const auto& [rank, value] : recorded)
    if (rank < all.size()) all[rank] = value;
  return all;
}

double SteadyState::gain(const std::vector<double>& sooner) const {
  double before = 0, then = 0;
  for (std::size_t rank = 0; rank < mean.size(); ++rank) {
    const double own = mean[rank][Measure::kOwn];
    before = std::max(before, own);
    then = std::max(then, own - std::clamp(sooner[rank], 0.0, std::max(0.0, own)));
  }
  return std::min(before - then, took);
}

double SteadyState::gain_of_computing(std::vector<double> sooner) const {
  for (std::size_t rank = 0; rank < mean.size(); ++rank)
    sooner[rank] =
        std::min(sooner[rank], std::max(0.0, mean[rank][Measure::kOwn] - mean[rank][Measure::kTransfer]));
  return gain(sooner);
}

SteadyState make_steady_state(const Observation& observation, std::uint32_t step, std::vector<RankStep> mean,
                              double took, std::vector<FullStep> full, const RuleData& shared) {
  SteadyState made{observation, shared, step, std::move(mean), took, std::move(full), {}, {}};
  for (const FullStep& one : made.full) add_operators(one, made);
  made.on_path = operators_on_path(observation, made.full);
  for (auto& [key, op] : made.operators) {
    for (double* value : {&op.run, &op.arithmetic, &op.exposed, &op.operations, &op.hbm_bytes, &op.l2_bytes})
      *value /= op.steps;
  }
  return made;
}

}  // namespace a3sim
