#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/network/network.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// Faults of the links during a pass. Windows of time count from the start of the job.
struct LinkDisturbances {
  // Limits a rank's ports of a plane (kNone: all planes) to `factor` of their capacity, minus the traffic of
  // others. With a period, only during the first `on` of each.
  struct Port {
    std::uint32_t rank = 0, plane = kNone;
    bool egress = true, ingress = true;
    double factor = 1;
    BytesPerSecond taken{};
    Duration period{}, on{};
  };
  // Limits each flow from one rank to another to `factor` of its rate alone.
  struct Path {
    std::uint32_t from = 0, to = 0;
    double factor = 1;
  };
  // A put of the rank over the plane (kNone: any) loses its first packet with this chance, and waits until
  // the packet is sent again. Random draws depend on the put: its operator, destination and rows.
  struct Resend {
    std::uint32_t rank = 0, plane = kNone;
    double chance = 0;
    Duration timeout{};
    std::uint64_t seed = 0;
  };

  // Damages cables of a plane.
  struct Cable {
    std::uint32_t plane = 0;
    CableDamage damage;
  };

  Duration since{};  // from the start of the job to the start of the pass
  std::vector<Port> ports;
  std::vector<Path> paths;
  std::vector<Resend> resends;
  std::vector<Cable> cables;

  bool any() const { return !ports.empty() || !paths.empty() || !resends.empty() || !cables.empty(); }
  // True if the course of a pass depends on its start time.
  bool depend_on_time() const;

  // Returns the ports of all ranks at a time of the pass. A port keeps at least a thousandth of its capacity.
  NetworkSpec ports_at(const Topology& topology, Time time) const;
  // Returns the next time at which they change, or Time::max().
  Time next_change(Time time) const;
  // Returns the planes with the damages of their cables added.
  CablePlanes damaged(CablePlanes planes) const;
  double factor_of_path(RankId from, RankId to) const;
  // Returns how long a put waits before it flows.
  Duration wait_of_put(const Topology& topology, RankId from, RankId to, OpId op, std::uint32_t row) const;
};

}  // namespace a3sim
