#include "sim/experiment/step/busiest_rank.h"

#include <numeric>

#include "models/routing/routing.h"

namespace a3sim {

std::optional<BusiestRank> busiest_rank(const Experiment& experiment) {
  if (experiment.routing.kind == "balanced" && !experiment.routing.known) return std::nullopt;
  const RoutingCounts counts = routing_of(experiment);
  const std::uint32_t ranks = counts.ranks(), local = experiment.shape.experts_per_rank;
  BusiestRank busiest;
  std::uint64_t most = 0, all = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<std::uint32_t> rows(local);
    for (std::uint32_t src = 0; src < ranks; ++src)
      for (std::uint32_t e = 0; e < local; ++e) rows[e] += counts.at(src, r * local + e);
    const auto sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
    all += sum;
    if (r > 0 && sum <= most) continue;
    most = sum;
    busiest.rank = r;
    busiest.rows = std::move(rows);
  }
  if (all > 0) busiest.over_mean = static_cast<double>(most) * ranks / static_cast<double>(all);
  return busiest;
}

}  // namespace a3sim
