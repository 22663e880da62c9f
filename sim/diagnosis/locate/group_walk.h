#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// Whether ranks meet in more than one group in these records of a step.
bool has_several_groups(std::span<const LightRecord> records);

// Where ranks meet in several groups, who is late in one may keep nobody waiting, as others of another group are later
// still. The records of a step that it waited for, by their places among them: from the group that ended last, to
// whom of it came last; from one that waited for a peer by more than `least`, to that peer; from one that began when
// another group let it go, to whom that group waited for.
std::vector<std::size_t> waited_for(std::span<const LightRecord> records, Duration least);

}  // namespace a3sim
