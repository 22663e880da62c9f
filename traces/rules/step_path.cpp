#include "traces/rules/step_path.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "traces/analysis/inferred_path.h"

namespace a3sim {

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

}  // namespace a3sim
