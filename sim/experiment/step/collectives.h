#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/device/hardware.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// Dies that do the same work, `stride` apart.
struct DieGroup {
  std::uint32_t ranks = 1, stride = 1;
};

// Counts the members of a group at each level of the fabric, from near to far.
struct GroupLevels {
  // One entry per level: members of the group in one unit of the level, including the die that counts.
  std::vector<std::uint32_t> members;
  std::uint32_t farthest = 0;  // the level that the two members farthest apart need
};
GroupLevels levels_of(const Hardware::Fabric& fabric, DieGroup group);

// Returns what a die of the group sends in rings through all members, `sent` bytes in total, as exchanges
// over its own ports. There is one ring for each way around near members, so that all their ports share each
// step to far ones.
std::vector<StreamTransfer> ring_transfers(const Hardware::Fabric& fabric, DieGroup group, double sent,
                                           RankId rank);
// Returns the same for an all-to-all exchange, with `to_peer` bytes for each other member. `once_a_unit` is
// the part of its members' bytes that a far unit of the first level gets; it then spreads them itself.
std::vector<StreamTransfer> exchange_transfers(const Hardware::Fabric& fabric, DieGroup group, double to_peer,
                                               double once_a_unit, RankId rank);
// Returns the time for which transfers fill the fullest plane that they share, at the ports' full rates.
Duration time_of_ports(const Hardware::Fabric& fabric, std::span<const StreamTransfer> transfers);
// Returns the time that the group's steps take in addition to the bytes: one signal to the farthest member
// for each member but one.
Duration ring_latency(const Hardware::Fabric& fabric, DieGroup group);

}  // namespace a3sim
