#include "sim/diagnosis/rules/step_path.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "traces/analysis/inferred_path.h"

namespace a3sim {
namespace {

// Returns the operators on a step's critical path, the largest share first: exactly if the source knows the
// path, otherwise inferred from the records. Returns none if not all ranks were recorded or operators
// overlap.
std::vector<PathPart> path_of(const Observation& observation, const FullStep& step) {
  std::vector<PathPart> parts = observation.critical_path(step.step);
  if (parts.empty() && step.ranks.size() == observation.ranks()) {
    const InferredPath path = inferred_path(step);
    if (!path.sure()) return {};
    std::map<std::pair<std::uint32_t, std::uint32_t>, Duration> sums;  // by operator and rank
    for (const InferredStretch& stretch : path.stretches)
      sums[{stretch.op, stretch.rank}] += stretch.to - stretch.from;
    for (const auto& [key, time] : sums) parts.push_back({key.first, key.second, time});
  }
  std::ranges::stable_sort(parts, std::ranges::greater(), &PathPart::time);
  return parts;
}

}  // namespace

std::set<std::uint32_t> operators_on_path(const Observation& observation,
                                          const std::vector<FullStep>& steps) {
  std::set<std::uint32_t> operators;
  for (const FullStep& step : steps) {
    const std::vector<PathPart> path = path_of(observation, step);
    if (path.empty()) return {};  // the unknown path may have other operators
    for (const PathPart& part : path)
      if (part.time > Duration::zero()) operators.insert(part.op);
  }
  return operators;
}

std::optional<PathParts> path_parts(const Observation& observation, const Located& located) {
  std::optional<FullStep> full;
  for (const bool slow : {true, false}) {
    for (const std::uint32_t step : observation.full_steps()) {
      if (full || located.is_slow(step) != slow) continue;
      FullStep one = observation.full(step);
      if (one.ranks.size() == observation.ranks()) full = std::move(one);
    }
  }
  if (!full) return {};
  const std::vector<PathPart> path = path_of(observation, *full);
  if (path.empty()) return {};
  Duration length{};
  for (const PathPart& part : path) length += part.time;
  PathParts parts;
  parts.step = observation.number_of(full->step);
  parts.exact = !observation.critical_path(full->step).empty();
  for (const PathPart& part : path)
    parts.parts.push_back(
        {observation.names()[part.op], part.rank, picoseconds(part.time) / picoseconds(length)});
  return parts;
}

}  // namespace a3sim
