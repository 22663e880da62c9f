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

// Whose bytes move: puts of workers, or all-to-alls of the host.
enum class Transport : std::uint8_t { kPuts, kCollective };
constexpr auto names_of(Transport) { return std::to_array<std::string_view>({"one_sided", "collective"}); }

// Where ranks lie on these dies.
Placement placement_of(const Hardware::Fabric& fabric, std::span<const std::uint32_t> dies);

// How the ranks of a group reach one another, by where their dies lie: the ports of the planes that they use,
// and what a route costs.
class Topology {
 public:
  struct Route {
    std::uint32_t from, to;  // ports
    Duration latency;
    BytesPerSecond port;     // the most that one flow gets alone, of its two ports and of the cables between
    double payload;          // part of the bytes on the ports that are the put's
    std::uint32_t path = 0;  // over cables, by its number in network()
  };

  // `dies`: of each rank, all different and within the hardware's last level. All-to-alls of the host go at
  // the collective's rate, over all planes that are not slower together.
  // `cables`: what lies between the ports of some planes; routes of all-to-alls of the host take them too.
  // `devices`: how many of the ranks are simulated, which stand for all (scheduler/compile/turns.h): ports are theirs. 0:
  // all are.
  // `every_plane`: ranks have ports of planes over which no two of them meet, too.
  Topology(const Hardware& hardware, const Program& program, std::span<const std::uint32_t> dies,
           Transport transport, std::uint32_t devices = 0, const CablePlanes& cables = {},
           bool every_plane = false);

  std::uint32_t devices() const { return devices_; }
  // The one that stands for a rank.
  std::uint32_t device(RankId rank) const { return index(rank) % devices_; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(placement_.dies.size()); }
  // Between two different ranks.
  const Hardware::Fabric::Level& level(RankId src, RankId dst) const { return levels_[level_of(src, dst)]; }
  Route route(RankId src, RankId dst) const;
  // From a rank's ports of a level's plane to the same rank's: what it exchanges there with ranks that do as it does.
  Route exchange(RankId rank, std::uint32_t level) const;
  Duration latency(RankId src, RankId dst) const { return level(src, dst).latency; }
  // How much faster the ports between two ranks carry what is read than what is written.
  double read_rate(RankId src, RankId dst) const { return read_rate_[level(src, dst).plane]; }
  // Of the two ranks that are farthest apart; zero of one rank alone.
  Duration farthest() const { return farthest_; }

  // Whether any two ranks meet over the plane, by its place in the hardware's.
  bool uses(std::uint32_t plane) const { return first_port_[plane] != kNone; }
  // A rank's ports of a plane that is used; of all planes for kNone.
  std::vector<std::uint32_t> ports_of(RankId rank, std::uint32_t plane) const;
  // The ports of all devices; port p belongs to device p mod devices().
  const NetworkSpec& ports() const { return ports_; }
  // The same with the cables that may bind, and the paths over them.
  NetworkSpec network() const;
  // Cables of network() whose rate changes while it runs.
  struct ChangingCable {
    std::uint32_t cable;
    BytesPerSecond rate{};  // outside its periods
    CableDamage damage;     // without its cables
  };
  const std::vector<ChangingCable>& changing_cables() const { return changing_; }
  // Whether some plane has cables, be it that none may bind.
  bool has_planes() const { return !planes_.empty(); }
  // What bytes between ranks, by source and destination, put on each cable that carries any. Where ranks stand for others
  // these are the bytes that the simulated ones send.
  struct CableLoad {
    const Cable* cable;
    BytesPerSecond rate{};  // under what is wrong with it all the time
    double bytes;
    std::uint32_t number;  // in network(); kNone: it cannot bind
    bool same =
        false;  // the one of network() is full when this one is, and carries the same part of its rate
  };
  std::vector<CableLoad> cable_loads(const std::vector<double>& of_devices) const;
  // Whose bytes cables of cable_loads() carry, the largest first.
  std::vector<std::vector<CableTraffic>> cable_traffic(std::span<const Cable* const> cables,
                                                       const std::vector<double>& of_devices) const;
  // The cables of network() on the way between two ranks that may hold their flows up.
  const CablePath& path(RankId src, RankId dst) const;
  // Whether a cable may hold flows up.
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
  std::vector<std::uint32_t> first_port_;  // by plane: of its ports, one a rank; kNone: not used
  std::vector<double> read_rate_;          // by plane
  std::uint32_t collective_ = kNone;  // the first of the ports of the planes that a collective takes together
  NetworkSpec ports_;
  CablePlanes planes_;
  std::vector<std::uint32_t>
      first_cable_;  // by plane of planes_: the number of its first cable, before the reduction
  ReducedCables reduced_;
  std::vector<bool> same_;  // by cable before the reduction: as CableLoad::same
  std::vector<ChangingCable> changing_;
  std::vector<std::uint32_t> path_;    // by pair of ranks; none without cables
  std::vector<BytesPerSecond> alone_;  // likewise: the most over the cables, for one flow
  Duration farthest_{};
};

}  // namespace a3sim
