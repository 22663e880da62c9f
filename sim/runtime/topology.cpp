#include "sim/runtime/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {

Placement placement_of(const Hardware::Fabric& fabric, std::span<const std::uint32_t> dies) {
  Placement placement{{dies.begin(), dies.end()}, {}, kNone};
  for (const Hardware::Fabric::Level& level : fabric.levels) placement.levels.push_back(level.dies);
  if (const Hardware::Fabric::Level* node = fabric.level("node")) placement.node_dies = node->dies;
  return placement;
}

Topology::Topology(const Hardware& hardware, const Program& program, std::span<const std::uint32_t> dies,
                   Transport transport, std::uint32_t devices, const CablePlanes& cables, bool every_plane)
    : levels_(hardware.fabric.levels),
      placement_(placement_of(hardware.fabric, dies)),
      devices_(devices > 0 ? devices : static_cast<std::uint32_t>(dies.size())),
      first_port_(hardware.fabric.planes.size(), kNone) {
  if (dies.empty()) throw std::logic_error("a topology has ranks");
  for (const Hardware::Fabric::Plane& plane : hardware.fabric.planes)
    read_rate_.push_back(static_cast<double>(plane.read.count) /
                         static_cast<double>(std::min(plane.egress, plane.ingress).count));
  // Dies of a level are adjacent, so any level that two of them share is shared by two neighbours.
  std::vector<std::uint32_t> by_die(ranks());
  std::iota(by_die.begin(), by_die.end(), 0U);
  std::ranges::sort(by_die, {}, [&](std::uint32_t rank) { return dies[rank]; });
  std::vector<bool> used(levels_.size(), false);
  for (std::uint32_t i = 1; i < ranks(); ++i) {
    const std::uint32_t level = level_of(RankId{by_die[i - 1]}, RankId{by_die[i]});
    if (level == levels_.size()) throw std::logic_error("a die lies beyond the last level");
    used[level] = true;
  }
  const BytesPerSecond collective =
      transport == Transport::kCollective ? program.collective.rate : BytesPerSecond{};
  for (std::uint32_t l = 0; l < levels_.size(); ++l) {
    if (!used[l]) continue;
    farthest_ = std::max(farthest_, levels_[l].latency);
    const std::uint32_t plane = levels_[l].plane;
    if (first_port_[plane] == kNone) add_ports(hardware.fabric.planes[plane], plane, collective);
  }
  if (every_plane) {
    for (const Hardware::Fabric::Level& level : levels_)
      if (first_port_[level.plane] == kNone)
        add_ports(hardware.fabric.planes[level.plane], level.plane, collective);
  }
  if (!cables.empty()) add_cables(cables);
}

Topology::Route Topology::exchange(RankId rank, std::uint32_t level) const {
  const Hardware::Fabric::Level& l = levels_.at(level);
  const std::uint32_t port = first_port_[l.plane] + device(rank);
  return {port, port, l.latency, std::min(ports_.egress[port], ports_.ingress[port]), l.payload, 0};
}

// Finds the cables between all pairs of ranks that meet over a plane with cables. Cables are numbered plane
// by plane.
void Topology::add_cables(const CablePlanes& cables) {
  std::vector<BytesPerSecond> capacities;
  std::vector<RankPair> pairs;
  alone_.assign(std::size_t{ranks()} * ranks(), BytesPerSecond{std::numeric_limits<std::int64_t>::max()});
  std::vector<bool> changes;
  planes_ = cables;
  for (const CablePlane& plane : cables) {
    const auto first = static_cast<std::uint32_t>(capacities.size());
    first_cable_.push_back(first);
    const CableRates damaged = damaged_rates(*plane.layout, plane.damages);
    capacities.insert(capacities.end(), damaged.rates.begin(), damaged.rates.end());
    changes.resize(capacities.size(), false);
    for (const CableDamage& damage : plane.damages) {
      for (const std::uint32_t c : damage.cables)
        if (damage.changes()) changes[first + c] = true;
    }
    for (std::uint32_t s = 0; s < ranks(); ++s) {
      for (std::uint32_t d = 0; d < ranks(); ++d) {
        const RankId src{s}, dst{d};
        if (s == d || level(src, dst).plane != plane.plane) continue;
        CablePath path =
            cable_path(*plane.layout, placement_.dies[s], placement_.dies[d], plane.rule, damaged.dead);
        for (CableShare& share : path) {
          share.cable += first;
          BytesPerSecond& alone = alone_[pair(src, dst)];
          const double most = static_cast<double>(capacities[share.cable].count) / share.parts * share.whole;
          if (most < static_cast<double>(alone.count)) alone = {static_cast<std::int64_t>(most)};
        }
        pairs.push_back({s, d, std::move(path)});
      }
    }
  }
  reduce(capacities, pairs, changes);
  if (devices_ < ranks() && has_cables()) pairs = turn(pairs, changes);
  find_changing_cables(capacities);
  path_.assign(std::size_t{ranks()} * ranks(), 0);
  for (std::size_t p = 0; p < pairs.size(); ++p)
    path_[pair(RankId{pairs[p].src}, RankId{pairs[p].dst})] = reduced_.path[p];
  // A simulated rank pulls from any rank: the path is that of the two ranks as far round.
  for (std::uint32_t s = devices_; s < ranks(); ++s)
    for (std::uint32_t d = 0; d < ranks(); ++d)
      path_[pair(RankId{s}, RankId{(d + s - s % devices_) % ranks()})] =
          path_[pair(RankId{s % devices_}, RankId{d})];
}

// Leaves out cables that cannot limit flows, whichever ranks are simulated: here each rank has its own ports.
void Topology::reduce(const std::vector<BytesPerSecond>& capacities, const std::vector<RankPair>& pairs,
                      const std::vector<bool>& changes) {
  std::vector<BytesPerSecond> egress, ingress;
  for (std::size_t p = 0; p < ports_.egress.size(); p += devices_) {
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      egress.push_back(ports_.egress[p + r % devices_]);
      ingress.push_back(ports_.ingress[p + r % devices_]);
    }
  }
  std::vector<PortPair> ports;
  for (const RankPair& pair : pairs) {
    const std::uint32_t first =
        first_port_[level(RankId{pair.src}, RankId{pair.dst}).plane] / devices_ * ranks();
    ports.push_back({first + pair.src, first + pair.dst, pair.path});
  }
  reduced_ = reduce_cables(capacities, ports, egress, ingress, changes);
  for (std::size_t c = 0; c < capacities.size(); ++c) {
    const std::uint32_t number = reduced_.represented[c];
    same_.push_back(number != kNone && reduced_.cables[number] == capacities[c]);
  }
}

// Replaces the remaining cables by orbits of cables. Returns the pairs that start on a simulated rank;
// reduced_.path then belongs to these.
std::vector<RankPair> Topology::turn(const std::vector<RankPair>& pairs, const std::vector<bool>& changes) {
  std::vector<std::string> all, names(reduced_.cables.size());
  for (const CablePlane& plane : planes_)
    for (const Cable& cable : plane.layout->cables()) all.push_back(cable.name());
  if (const auto changing = std::ranges::find(changes, true); changing != changes.end())
    throw InputError(
        fmt::format("experiment.simulate=alike: cable {} comes and goes, so that ranks cannot stand for "
                    "others: expected all",
                    all[static_cast<std::size_t>(changing - changes.begin())]));
  for (std::size_t c = all.size(); c-- > 0;)
    if (const std::uint32_t number = reduced_.represented[c]; number != kNone) names[number] = all[c];
  std::vector<RankPair> left;
  for (std::size_t p = 0; p < pairs.size(); ++p)
    left.push_back({pairs[p].src, pairs[p].dst, reduced_.paths[reduced_.path[p]]});
  const CableOrbits orbits = turn_cables(reduced_.cables, left, ranks(), devices_, names);
  std::erase_if(left, [&](const RankPair& pair) { return pair.src >= devices_; });
  std::vector<PortPair> ports;
  for (const RankPair& pair : left) {
    const Route route = this->route(RankId{pair.src}, RankId{pair.dst});
    ports.push_back({route.from, route.to, path_over(pair.path, orbits)});
  }
  ReducedCables turned = reduce_cables(orbits.capacity, ports, ports_.egress, ports_.ingress);
  for (std::size_t c = 0; c < same_.size(); ++c) {
    std::uint32_t& number = reduced_.represented[c];
    const std::uint32_t orbit = number == kNone ? kNone : orbits.orbit[number];
    number = orbit == kNone ? kNone : turned.represented[orbit];
    same_[c] = same_[c] && number != kNone && turned.cables[number] == orbits.capacity[orbit];
  }
  turned.represented = std::move(reduced_.represented);
  reduced_ = std::move(turned);
  return left;
}

void Topology::find_changing_cables(const std::vector<BytesPerSecond>& capacities) {
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    for (const CableDamage& damage : planes_[p].damages) {
      if (!damage.changes()) continue;
      for (const std::uint32_t c : damage.cables) {
        const std::uint32_t cable = first_cable_[p] + c;
        if (reduced_.represented[cable] == kNone) continue;  // it carries nothing
        changing_.push_back(
            {reduced_.represented[cable], capacities[cable], {{}, damage.factor, damage.period, damage.on}});
      }
    }
  }
}

// Calls `visit(src, dst, cable, bytes)` for the bytes that each two ranks put on each cable of a plane.
template <class Visit>
void Topology::for_each_share(const std::vector<double>& bytes, const CablePlane& plane,
                              const std::vector<bool>& dead, Visit visit) const {
  for (std::uint32_t s = 0; s < ranks(); ++s) {
    for (std::uint32_t d = 0; d < ranks(); ++d) {
      const double sent = bytes[std::size_t{s} * ranks() + d];
      if (s == d || sent == 0 || level(RankId{s}, RankId{d}).plane != plane.plane) continue;
      for (const CableShare& share :
           cable_path(*plane.layout, placement_.dies[s], placement_.dies[d], plane.rule, dead))
        visit(s, d, share.cable, sent * share.parts / share.whole);
    }
  }
}

// Returns the bytes of the simulated ranks and of the ranks that they represent. Of two ranks as far round as others, one
// is simulated: the one that puts or pulls.
std::vector<double> Topology::bytes_of_all(const std::vector<double>& bytes) const {
  if (devices_ == ranks()) return bytes;
  std::vector<double> all(bytes.size(), 0);
  for (std::uint32_t s = 0; s < ranks(); ++s) {
    for (std::uint32_t d = 0; d < ranks(); ++d) {
      const double sent = bytes[std::size_t{s} * ranks() + d];
      for (std::uint32_t turn = 0; sent > 0 && turn < ranks(); turn += devices_)
        all[std::size_t{(s + turn) % ranks()} * ranks() + (d + turn) % ranks()] += sent;
    }
  }
  return all;
}

std::vector<Topology::CableLoad> Topology::cable_loads(const std::vector<double>& of_devices) const {
  const std::vector<double> bytes = bytes_of_all(of_devices);
  std::vector<CableLoad> loads;
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    const CablePlane& plane = planes_[p];
    const CableRates damaged = damaged_rates(*plane.layout, plane.damages);
    std::vector<double> carried(damaged.rates.size(), 0);
    for_each_share(
        bytes, plane, damaged.dead,
        [&](std::uint32_t, std::uint32_t, std::uint32_t cable, double sent) { carried[cable] += sent; });
    for (std::uint32_t c = 0; c < carried.size(); ++c) {
      if (carried[c] == 0) continue;
      const std::uint32_t cable = first_cable_[p] + c;
      loads.push_back({&plane.layout->cables()[c], damaged.rates[c], carried[c], reduced_.represented[cable],
                       same_[cable]});
    }
  }
  return loads;
}

std::vector<std::vector<CableTraffic>> Topology::cable_traffic(std::span<const Cable* const> cables,
                                                               const std::vector<double>& of_devices) const {
  const std::vector<double> bytes = bytes_of_all(of_devices);
  std::vector<std::vector<CableTraffic>> traffic(cables.size());
  for (const CablePlane& plane : planes_) {
    const std::vector<Cable>& all = plane.layout->cables();
    std::vector<std::uint32_t> asked(all.size(), kNone);  // by cable: its index in `cables`
    bool any = false;
    for (std::uint32_t i = 0; i < cables.size(); ++i) {
      if (cables[i] < all.data() || cables[i] >= all.data() + all.size()) continue;
      asked[static_cast<std::size_t>(cables[i] - all.data())] = i;
      any = true;
    }
    if (!any) continue;
    for_each_share(bytes, plane, damaged_rates(*plane.layout, plane.damages).dead,
                   [&](std::uint32_t src, std::uint32_t dst, std::uint32_t cable, double sent) {
                     if (asked[cable] != kNone) traffic[asked[cable]].push_back({src, dst, sent});
                   });
  }
  for (std::vector<CableTraffic>& of_cable : traffic)
    std::ranges::stable_sort(of_cable, std::greater{}, &CableTraffic::bytes);
  return traffic;
}

const CablePath& Topology::path(RankId src, RankId dst) const {
  return reduced_.paths.at(path_.empty() ? 0 : path_[pair(src, dst)]);
}

NetworkSpec Topology::network() const {
  NetworkSpec spec = ports_;
  spec.cables = reduced_.cables;
  spec.paths = reduced_.paths;
  return spec;
}

// A collective's rate is the measured total rate of a rank, whatever planes it used; 0: there is none.
void Topology::add_ports(const Hardware::Fabric::Plane& plane, std::uint32_t place,
                         BytesPerSecond collective) {
  BytesPerSecond egress = plane.egress, ingress = plane.ingress;
  const bool together = collective.count > 0 && std::min(egress, ingress) >= collective;
  if (together && collective_ != kNone) {
    first_port_[place] = collective_;
    return;
  }
  if (together) egress = ingress = collective;
  first_port_[place] = static_cast<std::uint32_t>(ports_.egress.size());
  if (together) collective_ = first_port_[place];
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
  Route route{from, to, l.latency, std::min(ports_.egress[from], ports_.ingress[to]), l.payload, 0};
  if (!path_.empty()) {
    route.port = std::min(route.port, alone_[pair(src, dst)]);
    route.path = path_[pair(src, dst)];
  }
  return route;
}

}  // namespace a3sim
