#include "models/balance/expert_places.h"

#include <algorithm>

#include "models/balance/dynamic_experts.h"

namespace a3sim {

std::vector<std::uint32_t> lpt_places(std::span<const double> loads, std::uint32_t experts_per_rank) {
  struct Rank {
    double load = 0;
    std::vector<std::uint32_t> experts;
  };
  std::vector<Rank> ranks(loads.size() / experts_per_rank);
  for (const std::uint32_t expert : hottest_first(loads)) {
    Rank* least = nullptr;
    for (Rank& rank : ranks) {
      const bool has_place = rank.experts.size() < experts_per_rank;
      if (has_place && (!least || rank.load < least->load)) least = &rank;
    }
    least->load += loads[expert];
    least->experts.push_back(expert);
  }
  std::vector<std::uint32_t> expert_at;
  for (Rank& rank : ranks) {
    std::ranges::sort(rank.experts);
    expert_at.insert(expert_at.end(), rank.experts.begin(), rank.experts.end());
  }
  return expert_at;
}

RoutingCounts placed(const RoutingCounts& counts, std::span<const std::uint32_t> expert_at) {
  RoutingCounts moved(counts.ranks(), counts.experts());
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t place = 0; place < expert_at.size(); ++place)
      moved.at(src, place) = counts.at(src, expert_at[place]);
  }
  return moved;
}

}  // namespace a3sim
