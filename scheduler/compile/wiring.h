#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

struct WiringCounts {
  std::uint64_t exact_pairs = 0;   // (consumer, producer) pairs of tasks after reduction
  std::uint64_t shared_pairs = 0;  // pairs whose consumer waits because of the events, including Join tasks
  std::uint64_t joins = 0;
};

// Gives every task the event that it waits for and the one that it triggers, and every rank its events.
//
// Tasks that wait for a common task share an event, and so do tasks for which a common task waits: an event
// is a connected component of the bipartite graph between producer sides and consumer sides of tasks. Its
// threshold is the number of tasks on the producer side. It is on the rank of its consumers; throws
// InputError if they are on several ranks. Tasks for which no task waits trigger the `done` event of the rank
// whose memory holds their first output.
//
// If events would wait in a circle, Join tasks of an operator `Join`, added after the others, break it
// (levelling.cpp proves that this terminates).
WiringCounts wire(Taskflow& taskflow);

// Does the same as wire() rank by rank, without a graph of the group. An event is on the rank that waits for
// it, so only puts of other ranks trigger it from elsewhere. Returns nullopt, and leaves the taskflow partly
// wired, if RankDependencies are not complete() or components do not rise().
std::optional<WiringCounts> wire_by_rank(Taskflow& taskflow);

// Does the same as wire() from the graph of all dependencies of all ranks.
WiringCounts wire_group(Taskflow& taskflow);

}  // namespace a3sim
