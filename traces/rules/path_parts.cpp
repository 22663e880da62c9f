#include "traces/rules/path_parts.h"

#include <algorithm>

#include "traces/rules/step_path.h"

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
  const std::vector<PathPart> path = path_of(of, *full);
  if (path.empty()) return {};
  Duration length{};
  for (const PathPart& part : path) length += part.time;
  PathParts parts;
  parts.step = of.number_of(full->step);
  parts.exact = !of.critical_path(full->step).empty();
  for (const PathPart& part : path)
    parts.parts.push_back({of.names()[part.op], part.rank,
                           static_cast<double>(part.time.count()) / static_cast<double>(length.count())});
  return parts;
}

}  // namespace a3sim
