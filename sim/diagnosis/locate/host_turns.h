#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/diagnosis/locate/locator.h"

namespace a3sim {

// What light records tell about hosts in a slow step.
struct HostBound {
  double waits = 0;            // ps, the longest time for which a device waited for its host
  bool batch_missing = false;  // the queue of batches of a rank was empty
  bool queues_seen = false;    // how full queues were is known
};

// Two slow steps, between which one fault ends and another begins.
struct Turn {
  std::uint32_t before = 0, behind = 0;
};
inline constexpr std::uint32_t kPauseOfTurn = 2;  // usual steps, behind more of which another fault may begin

// Divides intervals of slow steps at turns: where most usual steps lie between the two, or else where the lost time changes most.
void divide_at(const std::vector<Turn>& turns, std::vector<std::vector<StepVerdict>>& intervals);

// Divides intervals of slow steps where hosts begin to do something else for good: one fault of hosts has ended, or another
// has begun, though all ranks are as late as before. Only steps count in which devices waited for their hosts; what
// hosts did is known of steps that were recorded in full; of others, whether they waited for a batch. `bound` has an entry for each slow step. Throws what the
// observation throws.
void divide_by_hosts(const Observation& observation, const std::map<std::uint32_t, HostBound>& bound,
                     std::vector<std::vector<StepVerdict>>& intervals);

}  // namespace a3sim
