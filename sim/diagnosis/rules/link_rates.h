#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/statistics.h"
#include "traces/observation.h"

namespace a3sim {

// How fast bytes flow between ranks, by source and destination.
struct LinkRates {
  LinkRates() = default;
  explicit LinkRates(std::size_t ranks);
  void add_longest(const TransferRecord& put);

  std::vector<std::vector<double>> cells;                   // log of the rate over the usual one; NaN: none
  std::vector<std::vector<const TransferRecord*>> longest;  // transfer; null: none
  MedianPolish polish;                                      // of the cells, when all are known
};

// Where transfers are slow: a rank's port (a row of sources and destinations is its egress, a column its ingress),
// the way from one rank to another, or all of them.
struct SlowLink {
  enum class Kind : std::uint8_t { kPort, kPath, kAll };
  Kind kind = Kind::kPort;
  std::uint32_t rank = kNone;  // of a port
  bool egress = false, ingress = false;
  std::uint32_t from = kNone, to = kNone;  // of a path
  double factor = 1;                       // of the usual rate
  const TransferRecord* longest = nullptr;
};

// The two sides of ports apart, by rank. `low`: the effect (a logarithm, below zero) below which a port is slow;
// `among`: no less than so much of the worst one's.
std::vector<SlowLink> slow_ports(const LinkRates& rates, double low, double among);
// Paths that are slow beside their ports, likewise.
std::vector<SlowLink> slow_paths(const LinkRates& rates, double low, double among);
// The slowest first, without those that are slow by less than `beside` of it: that is the slowest's doing, as puts
// wait for puts.
void keep_slowest(std::vector<SlowLink>& links, double beside);

}  // namespace a3sim
