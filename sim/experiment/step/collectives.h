#pragma once

#include <cstdint>
#include <vector>

#include "sim/device/hardware.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// Dies that do alike, `stride` apart.
struct DieGroup {
  std::uint32_t ranks = 1, stride = 1;
};

// How the members of a group lie: by level of the fabric, from near to far.
struct GroupLevels {
  std::vector<std::uint32_t>
      members;                 // of the group in one unit of the level, among them the one that counts
  std::uint32_t farthest = 0;  // level that two of them need
};
GroupLevels levels_of(const Hardware::Fabric& fabric, DieGroup group);

// What a die of the group sends in rings through all members, `sent` bytes in all, as exchanges over its own ports. There
// is a ring for each way round near members, so that each step to the far ones is shared by all their ports.
std::vector<StreamTransfer> ring_transfers(const Hardware::Fabric& fabric, DieGroup group, double sent,
                                           RankId rank);
// The same of an exchange of all with all, `to_peer` bytes for each other member. `once_a_unit`: a far unit of the
// first level gets only this part of what its members get together, and spreads it itself.
std::vector<StreamTransfer> exchange_transfers(const Hardware::Fabric& fabric, DieGroup group, double to_peer,
                                               double once_a_unit, RankId rank);
// How long the group's steps take beside the bytes: a signal to the farthest for each member but one.
Duration ring_latency(const Hardware::Fabric& fabric, DieGroup group);

}  // namespace a3sim
