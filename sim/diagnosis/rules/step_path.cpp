#include "sim/diagnosis/rules/step_path.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "traces/analysis/inferred_path.h"

namespace a3sim {
namespace {

// What a step's critical path is made of, that with most of its time first: exactly, where the source knows it; else
// by its records alone. Empty where neither tells it: not all ranks were recorded, or operators overlap.
std::vector<PathPart> path_of(const Observation& of, const FullStep& step) {
  std::vector<PathPart> parts = of.critical_path(step.step);
  if (parts.empty() && step.ranks.size() == of.ranks()) {
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

std::set<std::uint32_t> operators_on_path(const Observation& of, const std::vector<FullStep>& steps) {
  std::set<std::uint32_t> operators;
  for (const FullStep& step : steps) {
    const std::vector<PathPart> path = path_of(of, step);
    if (path.empty()) return {};  // one that is not known may have others
    for (const PathPart& part : path)
      if (part.time > Duration::zero()) operators.insert(part.op);
  }
  return operators;
}

std::optional<PathParts> path_parts(const Observation& of, const Located& located) {
  std::optional<FullStep> full;
  for (const bool slow : {true, false}) {
    for (const std::uint32_t step : of.full_steps()) {
      if (full || located.is_slow(step) != slow) continue;
      FullStep one = of.full(step);
      if (one.ranks.size() == of.ranks()) full = std::move(one);
    }
  }
  if (!full) return {};
  const std::vector<PathPart> path = path_of(of, *full);
  if (path.empty()) return {};
  Duration length{};
  for (const PathPart& part : path) length += part.time;
  PathParts parts;
  parts.step = of.number_of(full->step);
  parts.exact = !of.critical_path(full->step).empty();
  for (const PathPart& part : path)
    parts.parts.push_back({of.names()[part.op], part.rank, picoseconds(part.time) / picoseconds(length)});
  return parts;
}

}  // namespace a3sim
