#include "traces/rules/path_parts.h"

#include <algorithm>
#include <map>

#include "traces/analysis/inferred_path.h"

namespace a3sim {

std::optional<PathParts> path_parts(const Observation& of, const Located& located) {
  std::optional<FullStep> full;
  for (const bool slow : {true, false}) {
    for (const std::uint32_t step : of.full_steps()) {
      const bool is_slow = std::ranges::any_of(located.episodes, [&](const Episode& episode) {
        return std::ranges::binary_search(episode.steps, step);
      });
      if (full || is_slow != slow) continue;
      FullStep one = of.full(step);
      if (one.ranks.size() == of.ranks()) full = std::move(one);
    }
  }
  if (!full) return {};
  const InferredPath path = inferred_path(*full);
  if (!path.sure()) return {};
  std::map<std::pair<std::uint32_t, std::uint32_t>, Duration> sums;  // by operator and rank
  for (const InferredStretch& stretch : path.stretches)
    sums[{stretch.op, stretch.rank}] += stretch.to - stretch.from;
  const Duration length = path.stretches.back().to - path.stretches.front().from;
  PathParts parts;
  parts.step = of.number_of(full->step);
  for (const auto& [key, time] : sums)
    parts.parts.push_back({of.names()[key.first], key.second,
                           static_cast<double>(time.count()) / static_cast<double>(length.count())});
  std::ranges::stable_sort(parts.parts, std::ranges::greater(), &PathParts::Part::share);
  return parts;
}

}  // namespace a3sim
