#include "sim/experiment/step/collectives.h"

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

// Adds an exchange at full speed of the ports, because nothing else limits it.
void add_transfer(const Hardware::Fabric& fabric, std::uint32_t level, double bytes, RankId rank,
                  std::vector<StreamTransfer>& transfers) {
  const auto whole = static_cast<std::int64_t>(std::ceil(bytes));
  if (whole <= 0) return;
  const Hardware::Fabric::Plane& plane = fabric.planes[fabric.levels[level].plane];
  transfers.push_back({rank, Bytes{whole}, std::min(plane.egress, plane.ingress), level});
}

// Returns the part of the bytes arriving at one of `members` dies that is meant for the others.
double nearer_part(std::uint32_t members) { return 1 - 1.0 / members; }

// Lets all transfers take as long as the one that takes longest.
void keep_pace(std::vector<StreamTransfer>& transfers) {
  double longest = 0;
  for (const StreamTransfer& transfer : transfers)
    longest = std::max(longest,
                       static_cast<double>(transfer.bytes.count) / static_cast<double>(transfer.rate.count));
  for (StreamTransfer& transfer : transfers)
    transfer.rate =
        std::min(transfer.rate,
                 {static_cast<std::int64_t>(std::ceil(static_cast<double>(transfer.bytes.count) / longest))});
}

}  // namespace

GroupLevels levels_of(const Hardware::Fabric& fabric, DieGroup group) {
  GroupLevels levels;
  for (std::uint32_t l = 0; l < fabric.levels.size(); ++l) {
    const std::uint32_t dies = fabric.levels[l].dies;
    const std::uint32_t members =
        dies == kNone ? group.ranks : std::clamp((dies + group.stride - 1) / group.stride, 1U, group.ranks);
    if (members > (l == 0 ? 1U : levels.members.back())) levels.farthest = l;
    levels.members.push_back(members);
  }
  return levels;
}

std::vector<StreamTransfer> ring_transfers(const Hardware::Fabric& fabric, DieGroup group, double sent,
                                           RankId rank) {
  std::vector<StreamTransfer> transfers;
  if (group.ranks < 2) return transfers;
  const GroupLevels levels = levels_of(fabric, group);
  std::uint32_t nearer = 1;
  for (std::uint32_t l = 0; l < levels.members.size(); ++l) {
    // Of a ring's steps to the next member, most stay near; one per unit goes to the next unit.
    const double steps = 1.0 / nearer - (levels.members[l] < group.ranks ? 1.0 / levels.members[l] : 0);
    if (levels.members[l] > nearer) add_transfer(fabric, l, sent * steps, rank, transfers);
    nearer = levels.members[l];
  }
  // A ring is as fast as its slowest cable: what goes over the others arrives no earlier, and loads memories no more.
  keep_pace(transfers);
  return transfers;
}

std::vector<StreamTransfer> exchange_transfers(const Hardware::Fabric& fabric, DieGroup group, double to_peer,
                                               double once_a_unit, RankId rank) {
  std::vector<StreamTransfer> transfers;
  if (group.ranks < 2) return transfers;
  const GroupLevels levels = levels_of(fabric, group);
  std::uint32_t nearer = 1;
  for (std::uint32_t l = 0; l < levels.members.size(); ++l) {
    const std::uint32_t peers = levels.members[l] - nearer;
    const double far = to_peer * (group.ranks - levels.members.front());
    // Bytes that arrive once at a unit go on to its other members.
    const double spread = l == 0 && once_a_unit < 1 ? far * (nearer_part(levels.members.front())) : 0;
    if (peers > 0)
      add_transfer(fabric, l, to_peer * peers * (l == 0 ? 1 : once_a_unit) + spread, rank, transfers);
    nearer = levels.members[l];
  }
  return transfers;
}

Duration time_of_ports(const Hardware::Fabric& fabric, std::span<const StreamTransfer> transfers) {
  std::vector<double> planes(fabric.planes.size(), 0);  // picoseconds
  for (const StreamTransfer& transfer : transfers) {
    const Hardware::Fabric::Level& level = fabric.levels[transfer.level];
    const Hardware::Fabric::Plane& plane = fabric.planes[level.plane];
    planes[level.plane] += static_cast<double>(transfer.bytes.count) / level.payload * 1e12 /
                           static_cast<double>(std::min(plane.egress, plane.ingress).count);
  }
  return Duration(static_cast<std::int64_t>(*std::ranges::max_element(planes)));
}

Duration ring_latency(const Hardware::Fabric& fabric, DieGroup group) {
  if (group.ranks < 2) return Duration::zero();
  const GroupLevels levels = levels_of(fabric, group);
  return fabric.levels[levels.farthest].latency * static_cast<std::int64_t>(group.ranks - 1);
}

}  // namespace a3sim
