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

  std::vector<std::vector<double>> cells;  // logarithm of the rate over the usual one; NaN if there is none
  std::vector<std::vector<const TransferRecord*>> longest;  // null if there is none
};

// A place where transfers are slow: ports of some ranks, the path from one rank to another, a plane of links,
// or all of them.
struct SlowLink {
  enum class Kind : std::uint8_t { kPorts, kPath, kPlane, kAll };
  Kind kind = Kind::kPorts;
  std::vector<std::uint32_t> ranks;  // for ports and planes, ascending
  bool egress = false, ingress = false;
  std::uint16_t plane = 0;
  std::uint32_t from = kNone, to = kNone;  // for a path
  double factor = 1;                       // rate relative to the usual one; for ports, that of the slowest
  const TransferRecord* longest = nullptr;
};

// The limits below which a link counts as slow. Rates are logarithms below zero.
struct SlowLinkLimits {
  double low = 0;         // limit for a rate relative to that of healthy links
  double port_among = 0;  // part of the slowest port's effect; a port with less is not slow
  double path_among = 0;  // the same for paths
  double beside = 0;      // the same for any link: puts wait for puts, so the slowest link slows others too
};

// Returns the fewest links that explain the slow cells, the slowest first. Healthy cells define what is
// usual: a port is slow if nearly all of its cells are, so that slow ports of half of the ranks do not count
// as a slowdown of all. Ports that are slow alike are one link. All links are slow only if no cell is healthy
// and none is much slower than the others.
std::vector<SlowLink> slow_links_of(const LinkRates& rates, const SlowLinkLimits& limits);

}  // namespace a3sim
