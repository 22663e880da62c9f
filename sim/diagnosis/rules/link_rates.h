#pragma once

#include <cstdint>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// The rates of transfers between ranks, by source and destination.
struct LinkRates {
  LinkRates() = default;
  explicit LinkRates(std::size_t ranks);
  void add_longest(const TransferRecord& put);

  std::vector<std::vector<double>> cells;                   // log of the rate over the usual one; NaN: none
  std::vector<std::vector<const TransferRecord*>> longest;  // null: none
};

// A place where transfers are slow: ports of some ranks, the path from one rank to another, a plane of links, or
// all of them.
struct SlowLink {
  enum class Kind : std::uint8_t { kPorts, kPath, kPlane, kAll };
  Kind kind = Kind::kPorts;
  std::vector<std::uint32_t> ranks;  // of ports and planes, ascending
  bool egress = false, ingress = false;
  std::uint16_t plane = 0;
  std::uint32_t from = kNone, to = kNone;  // of a path
  double factor = 1;                       // rate relative to the usual one: of the slowest of the ports
  const TransferRecord* longest = nullptr;
};

// When a link counts as slow. Rates are logarithms below zero.
struct SlowLinkLimits {
  double low = 0;         // of a rate relative to that of healthy links
  double port_among = 0;  // part of the slowest port's effect; a port with less is not slow
  double path_among = 0;  // likewise of paths
  double beside = 0;      // likewise of any link: puts wait for puts, so the slowest one slows others too
};

// Returns the fewest links that explain the slow cells, the slowest first. Healthy cells tell what is usual: a port is
// slow if nearly all of its cells are, so ports of half of the ranks are no slowdown of all. Ports that are alike are
// one link. Only if no cell is healthy, and none is much slower than the others, all of them are slow.
std::vector<SlowLink> slow_links_of(const LinkRates& rates, const SlowLinkLimits& limits);

}  // namespace a3sim
