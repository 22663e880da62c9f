#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/placement.h"
#include "sim/core/enum_names.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/network/cable_reduction.h"
#include "sim/network/cable_symmetry.h"
#include "sim/network/network.h"
#include "sim/runtime/cable_planes.h"
#include "sim/runtime/cable_use.h"

namespace a3sim {

// The mover of rows: puts of workers, or all-to-alls of the host.
enum class Transport : std::uint8_t { kPuts, kCollective };
constexpr auto names_of(Transport) { return std::to_array<std::string_view>({"one_sided", "collective"}); }

// Returns the placement of ranks on these dies.
Placement placement_of(const Hardware::Fabric& fabric, std::span<const std::uint32_t> dies);

// The ports of the planes that a group's ranks use, and the routes between the ranks. Both follow from where
// the dies lie.
class Topology {
 public:
  struct Route {
    std::uint32_t from, to;  // ports
    Duration latency;
    // The highest rate of a single flow: limited by its two ports and the cables between.
    BytesPerSecond port;
    double payload;          // the put's share of the bytes on the ports
    std::uint32_t path = 0;  // path over cables: an index into network().paths
  };

  // `dies`: one entry per rank; all differ and lie within the hardware's last level. All-to-alls of the host
  // run at the collective's rate; they share the planes that are at least that fast.
  // `cables`: the cables between the ports of some planes; all-to-alls of the host use them too.
  // `devices`: the number of ranks that are simulated and represent all (scheduler/compile/turns.h); only
  // they have ports. 0: all.
  // `every_plane`: also make ports of planes over which no two ranks meet.
  Topology(const Hardware& hardware, const Program& program, std::span<const std::uint32_t> dies,
           Transport transport, std::uint32_t devices = 0, const CablePlanes& cables = {},
           bool every_plane = false);

  std::uint32_t devices() const { return devices_; }
  // Returns the device that represents a rank.
  std::uint32_t device(RankId rank) const { return index(rank) % devices_; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(placement_.dies.size()); }
  // Returns the level at which two different ranks meet.
  const Hardware::Fabric::Level& level(RankId src, RankId dst) const { return levels_[level_of(src, dst)]; }
  Route route(RankId src, RankId dst) const;
  // Returns the route from a rank's ports of a level's plane to the same rank's ports, for its exchange with
  // peers that behave alike.
  Route exchange(RankId rank, std::uint32_t level) const;
  Duration latency(RankId src, RankId dst) const { return level(src, dst).latency; }
  // Returns how much faster the ports between two ranks carry reads than writes.
  double read_rate(RankId src, RankId dst) const { return read_rate_[level(src, dst).plane]; }
  // Returns the latency between the two ranks that are farthest apart; zero for a single rank.
  Duration farthest() const { return farthest_; }

  // True if any two ranks meet over the plane, an index into the hardware's planes.
  bool uses(std::uint32_t plane) const { return first_port_[plane] != kNone; }
  // Returns a rank's ports of a plane in use; those of all planes for kNone.
  std::vector<std::uint32_t> ports_of(RankId rank, std::uint32_t plane) const;
  // Returns the ports of all devices; port p belongs to device p mod devices().
  const NetworkSpec& ports() const { return ports_; }
  // Returns the ports with the cables that may limit flows, and the paths over them.
  NetworkSpec network() const;
  // A cable of network() whose rate changes during a run.
  struct ChangingCable {
    std::uint32_t cable;
    BytesPerSecond rate{};  // outside its periods of damage
    CableDamage damage;     // its list of cables is not used
  };
  const std::vector<ChangingCable>& changing_cables() const { return changing_; }
  // True if some plane has cables, even if none can limit flows.
  bool has_planes() const { return !planes_.empty(); }
  // The bytes that traffic between ranks puts on a cable. If ranks represent others, only the bytes sent by
  // the simulated ones.
  struct CableLoad {
    const Cable* cable;
    BytesPerSecond rate{};  // with its permanent damage
    double bytes;
    std::uint32_t number;  // its number in network(); kNone: it cannot limit flows
    // The cable `number` of network() is full when this one is, and carries the same share of its rate.
    bool same = false;
  };
  std::vector<CableLoad> cable_loads(const std::vector<double>& of_devices) const;
  // Returns whose bytes these cables of cable_loads() carry, the largest first.
  std::vector<std::vector<CableTraffic>> cable_traffic(std::span<const Cable* const> cables,
                                                       const std::vector<double>& of_devices) const;
  // Returns the cables of network() between two ranks that may hold their flows up.
  const CablePath& path(RankId src, RankId dst) const;
  // True if some cable may hold flows up.
  bool has_cables() const { return !reduced_.cables.empty(); }
  std::uint32_t ports_per_rank() const { return static_cast<std::uint32_t>(ports_.egress.size()) / devices_; }

 private:
  std::uint32_t level_of(RankId src, RankId dst) const {
    return placement_.distance(index(src), index(dst)) - 1;
  }
  void add_ports(const Hardware::Fabric::Plane& plane, std::uint32_t place, BytesPerSecond collective);
  void add_cables(const CablePlanes& cables);
  void reduce(const std::vector<BytesPerSecond>& capacities, const std::vector<RankPair>& pairs,
              const std::vector<bool>& changes);
  std::vector<RankPair> turn(const std::vector<RankPair>& pairs, const std::vector<bool>& changes);
  std::vector<double> bytes_of_all(const std::vector<double>& bytes) const;
  template <class Visit>
  void for_each_share(const std::vector<double>& bytes, const CablePlane& plane,
                      const std::vector<bool>& dead, Visit visit) const;
  void find_changing_cables(const std::vector<BytesPerSecond>& capacities);
  std::size_t pair(RankId src, RankId dst) const { return std::size_t{index(src)} * ranks() + index(dst); }

  std::vector<Hardware::Fabric::Level> levels_;
  Placement placement_;
  std::uint32_t devices_;
  std::vector<std::uint32_t> first_port_;  // by plane: the first of its ports, one per rank; kNone: not used
  std::vector<double> read_rate_;          // by plane
  std::uint32_t collective_ = kNone;       // the first port of the planes that a collective uses together
  NetworkSpec ports_;
  CablePlanes planes_;
  std::vector<std::uint32_t>
      first_cable_;  // by entry of planes_: the number of its first cable before the reduction
  ReducedCables reduced_;
  std::vector<bool> same_;  // by cable before the reduction: CableLoad::same
  std::vector<ChangingCable> changing_;
  std::vector<std::uint32_t> path_;    // by pair of ranks; empty without cables
  std::vector<BytesPerSecond> alone_;  // by pair of ranks: the highest rate of one flow over the cables
  Duration farthest_{};
};

}  // namespace a3sim
