#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

struct WiringCounts {
  std::uint64_t exact_pairs = 0;   // (consumer, producer) pairs of tasks that must wait, after reduction
  std::uint64_t shared_pairs = 0;  // pairs that the events make wait; Join tasks count as tasks
  std::uint64_t joins = 0;
};

// Gives every task the event that it waits for and the one that it triggers, and every rank its events.
//
// Tasks that wait for a common task share an event, and so do those that a common task waits for: an event is
// a connected component of the graph (producer side of a task) - (consumer side of a task), its threshold the
// number of tasks on the producer side. It lives on the rank of its consumers; throws InputError if they lie
// on several. Tasks that nobody waits for count into the `done` event of the rank in whose memory their first
// output lies.
//
// Where events would wait in a circle, Join tasks of an operator `Join`, added behind the others, go between
// (levelling.cpp says why that always ends it).
WiringCounts wire(Taskflow& taskflow);

// The same, one rank after the other, without a graph of the group: an event lives on the rank that waits for it, so all
// of it but the puts of other ranks that count into it is that rank's. Nothing where that does not do, which leaves the
// taskflow half wired: where RankDependencies are not complete(), or components do not rise.
std::optional<WiringCounts> wire_by_rank(Taskflow& taskflow);

// The same from the graph of all dependencies of all ranks.
WiringCounts wire_group(Taskflow& taskflow);

}  // namespace a3sim
