#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/network/network.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// What is wrong with the links while a pass runs. Windows of time are counted from the start of the job.
struct LinkDisturbances {
  // A rank's ports of a plane, all of them for kNone: `factor` of their capacity, less what others take of it.
  // With a period, only during the first `on` of each.
  struct Port {
    std::uint32_t rank = 0, plane = kNone;
    bool egress = true, ingress = true;
    double factor = 1;
    BytesPerSecond taken{};
    Duration period{}, on{};
  };
  // Each flow from one rank to another goes at most at `factor` of what it could alone.
  struct Path {
    std::uint32_t from = 0, to = 0;
    double factor = 1;
  };
  // A put of the rank over the plane, any for kNone, loses its first packet with this chance, and waits until
  // that is sent again. What is drawn belongs to the put: its operator, destination and rows.
  struct Resend {
    std::uint32_t rank = 0, plane = kNone;
    double chance = 0;
    Duration timeout{};
    std::uint64_t seed = 0;
  };

  Duration since{};  // the start of the job, before the start of the pass
  std::vector<Port> ports;
  std::vector<Path> paths;
  std::vector<Resend> resends;

  bool any() const { return !ports.empty() || !paths.empty() || !resends.empty(); }
  // Whether a pass depends on when it starts.
  bool depend_on_time() const;

  // The ports of all ranks at a date of the pass. A port keeps a thousandth of its capacity.
  NetworkSpec ports_at(const Topology& topology, Time date) const;
  // The next date at which they change; Time::max(): never.
  Time next_change(Time date) const;
  double factor_of_path(RankId from, RankId to) const;
  // How long a put waits before it flows.
  Duration wait_of_put(const Topology& topology, RankId from, RankId to, OpId op, std::uint32_t row) const;
};

}  // namespace a3sim
