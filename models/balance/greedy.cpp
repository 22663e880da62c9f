#include <algorithm>

#include "models/balance/balancer.h"

namespace a3sim {

std::vector<std::int64_t> ExpertLoads::by_rank() const {
  std::vector<std::int64_t> loads(ranks(), 0);
  for (std::uint32_t e = 0; e < rows.size(); ++e) loads[e / experts_per_rank] += rows[e];
  return loads;
}

namespace {

std::uint32_t least_busy(const std::vector<std::int64_t>& load, const std::vector<std::uint32_t>& guests,
                         std::uint32_t most_guests) {
  std::uint32_t least = kNone;
  for (std::uint32_t d = 0; d < load.size(); ++d) {
    if (guests[d] < most_guests && (least == kNone || load[d] < load[least])) least = d;
  }
  return least;
}

// Returns the expert that leaves the rank, or kNone.
std::uint32_t expert_of(const ExpertLoads& loads, const std::vector<bool>& open, std::uint32_t rank,
                        std::int64_t gap, const BalanceOptions& options) {
  std::uint32_t best = kNone;
  for (std::uint32_t e = rank * loads.experts_per_rank; e < (rank + 1) * loads.experts_per_rank; ++e) {
    if (!open[e] || (options.stop == StopRule::kNext && loads.rows[e] >= gap)) continue;
    if (best == kNone || loads.rows[e] > loads.rows[best]) best = e;
  }
  if (best == kNone || loads.rows[best] < options.tau) return kNone;
  return options.stop == StopRule::kBusiest && loads.rows[best] >= gap ? kNone : best;
}

}  // namespace

std::vector<ExpertMove> balancing_moves(const ExpertLoads& loads, const BalanceOptions& options) {
  std::vector<std::int64_t> load = loads.by_rank();
  std::vector<std::uint32_t> guests(load.size(), 0);
  std::vector<bool> open = loads.dynamic;
  std::vector<ExpertMove> moves;
  for (;;) {
    const auto from = static_cast<std::uint32_t>(std::ranges::max_element(load) - load.begin());
    const std::uint32_t to = least_busy(load, guests, options.max_num_dyn);
    if (to == kNone || to == from) return moves;
    const std::uint32_t expert = expert_of(loads, open, from, load[from] - load[to], options);
    if (expert == kNone) return moves;
    open[expert] = false;
    ++guests[to];
    load[from] -= loads.rows[expert];
    load[to] += loads.rows[expert];
    moves.push_back({expert, from, to});
  }
}

}  // namespace a3sim
