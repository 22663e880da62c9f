#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// Returns whether the records of a step show ranks meeting in more than one group.
bool has_several_groups(std::span<const LightRecord> records);

// Returns the indices of the records that a step waited for. A rank that is late in one group delays nobody
// if another group is later still. The walk starts at the last record of the group that ended last. From a
// record that waited for a peer by more than `least` it goes on to that peer; from one that began when
// another group released it, to the record that this group waited for.
std::vector<std::size_t> waited_for(std::span<const LightRecord> records, Duration least);

}  // namespace a3sim
