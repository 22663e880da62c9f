#include "sim/experiment/config/alike_ranks.h"

#include <algorithm>
#include <numeric>

#include "scheduler/compile/turns.h"

namespace a3sim {

std::uint32_t alike_ranks(const Experiment& experiment) {
  const std::uint32_t ep = experiment.shape.ep;
  const Placement placement = placement_of(experiment.hardware.fabric, dies_of(experiment.run.ranks));
  const std::uint64_t kept =
      std::lcm<std::uint64_t>(least_turn(placement, ep), std::max(1U, experiment.cut.sources));
  return kept < ep && ep % kept == 0 ? static_cast<std::uint32_t>(kept) : 0;
}

}  // namespace a3sim
