#include "sim/experiment/step/row_limit.h"

#include <algorithm>
#include <cmath>

namespace a3sim {

RowLimit limit_rows(const StepOptions& step, const BlockExperts& experts, Experiment& experiment) {
  if (step.expert_capacity == 0) return {};
  MoeShape shape = experiment.shape;
  shape.tokens = static_cast<std::uint32_t>(experts.tokens) / experiment.ffn.batches;
  RoutingCounts counts = route(experiment.routing, shape);
  const double mean = 1.0 * shape.tokens * shape.top_k / shape.experts();
  const auto most = static_cast<std::uint32_t>(std::ceil(mean * step.expert_capacity));
  double chosen = 0, taken = 0, computed = 0;
  for (std::uint32_t rank = 0; rank < counts.ranks(); ++rank) {
    for (std::uint32_t expert = 0; expert < counts.experts(); ++expert) {
      std::uint32_t& rows = counts.at(rank, expert);
      chosen += rows;
      taken += std::min(rows, most);
      rows = step.pad_experts ? most : std::min(rows, most);
      computed += rows;
    }
  }
  experiment.routing.known = std::make_shared<const RoutingCounts>(std::move(counts));
  return {1 - taken / chosen, computed / chosen};
}

}  // namespace a3sim
