#include "traces/rules/standing.h"

#include <algorithm>

#include "traces/analysis/segments.h"
#include "traces/analysis/stretches.h"
#include "traces/rules/step_path.h"

namespace a3sim {
namespace {

double picoseconds(Duration time) { return static_cast<double>(time.count()); }

}  // namespace

double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Standing::Standing(const Observation& of, std::uint32_t step, std::vector<RankStep> mean, double took,
                   std::vector<FullStep> full, const RuleData& shared)
    : of_(of), shared_(shared), step_(step), mean_(std::move(mean)), took_(took), full_(std::move(full)) {
  for (const FullStep& step : full_) add(step);
  on_path_ = operators_on_path(of, full_);
  for (auto& [key, op] : operators_) {
    for (double* value : {&op.run, &op.arithmetic, &op.exposed, &op.operations, &op.hbm_bytes, &op.l2_bytes})
      *value /= op.steps;
  }
}

void Standing::add(const FullStep& step) {
  std::map<std::uint32_t, Stretches> cubes;  // by rank
  for (const OperatorRecord& record : step.operators)
    if (record.lane == Lane::kCompute && record.core == CoreKind::kCube)
      cubes[record.rank].emplace_back(record.start, record.end);
  for (auto& [rank, stretches] : cubes) unite(stretches);
  for (const OperatorRecord& record : step.operators) {
    if (record.lane != Lane::kCompute || record.rank >= mean_.size()) continue;
    Operator& op = operators_[{record.pass, record.op, record.rank}];
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
    op.exposed += cube ? picoseconds(record.run) / workers(record.core)
                       : picoseconds(record.end - record.start - beside);
  }
}

std::optional<Standing::Lanes> Standing::lanes(std::uint32_t rank) const {
  Lanes lanes;
  double steps = 0;
  for (const FullStep& step : full_) {
    const Segments of = segments(step, rank);
    if (of.total() <= Duration::zero()) continue;
    lanes.overlap += picoseconds(of.overlap);
    lanes.compute += picoseconds(of.compute);
    lanes.communication += picoseconds(of.communication);
    lanes.total += picoseconds(of.total());
    ++steps;
  }
  if (steps == 0) return {};
  for (double* value : {&lanes.overlap, &lanes.compute, &lanes.communication, &lanes.total}) *value /= steps;
  return lanes;
}

double Standing::workers(CoreKind core) const {
  const ObservedMachine& machine = of_.machine();
  return std::max(1.0, static_cast<double>(core == CoreKind::kCube ? machine.aic : machine.aiv));
}

std::vector<double> Standing::of_all(const std::map<std::uint32_t, double>& recorded) const {
  double sum = 0;
  for (const auto& [rank, value] : recorded) sum += value;
  std::vector<double> all(mean_.size(), recorded.empty() ? 0 : sum / static_cast<double>(recorded.size()));
  for (const auto& [rank, value] : recorded)
    if (rank < all.size()) all[rank] = value;
  return all;
}

double Standing::gain(const std::vector<double>& sooner) const {
  double before = 0, then = 0;
  for (std::size_t rank = 0; rank < mean_.size(); ++rank) {
    const double own = mean_[rank][Measure::kOwn];
    before = std::max(before, own);
    then = std::max(then, own - std::clamp(sooner[rank], 0.0, std::max(0.0, own)));
  }
  return std::min(before - then, took_);
}

double Standing::gain_of_computing(std::vector<double> sooner) const {
  for (std::size_t rank = 0; rank < mean_.size(); ++rank)
    sooner[rank] =
        std::min(sooner[rank], std::max(0.0, mean_[rank][Measure::kOwn] - mean_[rank][Measure::kTransfer]));
  return gain(sooner);
}

std::string Standing::place(std::uint32_t rank) const {
  LightRecord record;
  record.step = step_;
  record.rank = rank;
  return of_.place_of(record);
}

}  // namespace a3sim
