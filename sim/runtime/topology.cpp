#include "sim/runtime/topology.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace a3sim {

Placement placement_of(const Hardware::Fabric& fabric, std::span<const std::uint32_t> dies) {
  Placement placement{{dies.begin(), dies.end()}, {}, kNone};
  for (const Hardware::Fabric::Level& level : fabric.levels) placement.levels.push_back(level.dies);
  if (const Hardware::Fabric::Level* node = fabric.level("node")) placement.node_dies = node->dies;
  return placement;
}

Topology::Topology(const Hardware& hardware, std::span<const std::uint32_t> dies, Transport transport,
                   std::uint32_t devices)
    : levels_(hardware.fabric.levels),
      placement_(placement_of(hardware.fabric, dies)),
      devices_(devices > 0 ? devices : static_cast<std::uint32_t>(dies.size())),
      first_port_(hardware.fabric.planes.size(), kNone) {
  if (dies.empty()) throw std::logic_error("a topology has ranks");
  // Dies of a level lie behind one another: what any two of them have in common, two neighbours have.
  std::vector<std::uint32_t> by_die(ranks());
  std::iota(by_die.begin(), by_die.end(), 0U);
  std::ranges::sort(by_die, {}, [&](std::uint32_t rank) { return dies[rank]; });
  std::vector<bool> used(levels_.size(), false);
  for (std::uint32_t i = 1; i < ranks(); ++i) {
    const std::uint32_t level = level_of(RankId{by_die[i - 1]}, RankId{by_die[i]});
    if (level == levels_.size()) throw std::logic_error("a die lies beyond the last level");
    used[level] = true;
  }
  for (std::uint32_t l = 0; l < levels_.size(); ++l) {
    if (!used[l]) continue;
    farthest_ = std::max(farthest_, levels_[l].latency);
    if (first_port_[levels_[l].plane] == kNone) add_ports(hardware, levels_[l].plane, transport);
  }
}

// A collective's rate is what a rank was measured to send in all, whatever planes it took.
void Topology::add_ports(const Hardware& hardware, std::uint32_t plane, Transport transport) {
  BytesPerSecond egress = hardware.fabric.planes[plane].egress,
                 ingress = hardware.fabric.planes[plane].ingress;
  const BytesPerSecond limit = hardware.collective.rate;
  const bool together = transport == Transport::kCollective && std::min(egress, ingress) >= limit;
  if (together && collective_ != kNone) {
    first_port_[plane] = collective_;
    return;
  }
  if (together) egress = ingress = limit;
  first_port_[plane] = static_cast<std::uint32_t>(ports_.egress.size());
  if (together) collective_ = first_port_[plane];
  ports_.egress.insert(ports_.egress.end(), devices_, egress);
  ports_.ingress.insert(ports_.ingress.end(), devices_, ingress);
}

std::vector<std::uint32_t> Topology::ports_of(RankId rank, std::uint32_t plane) const {
  std::vector<std::uint32_t> ports;
  for (std::uint32_t p = 0; p < first_port_.size(); ++p) {
    if (first_port_[p] == kNone || (plane != kNone && p != plane)) continue;
    const std::uint32_t port = first_port_[p] + device(rank);
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
  }
  return ports;
}

Topology::Route Topology::route(RankId src, RankId dst) const {
  const Hardware::Fabric::Level& l = level(src, dst);
  const std::uint32_t from = first_port_[l.plane] + device(src), to = first_port_[l.plane] + device(dst);
  return {from, to, l.latency, std::min(ports_.egress[from], ports_.ingress[to]), l.payload};
}

}  // namespace a3sim
