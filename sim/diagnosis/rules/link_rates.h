#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/statistics.h"
#include "traces/observation.h"

namespace a3sim {

// The rates of transfers between ranks, by source and destination.
struct LinkRates {
  LinkRates() = default;
  explicit LinkRates(std::size_t ranks);
  void add_longest(const TransferRecord& put);

  std::vector<std::vector<double>> cells;                   // log of the rate over the usual one; NaN: none
  std::vector<std::vector<const TransferRecord*>> longest;  // null: none
  MedianPolish polish;                                      // of the cells, if all are known
};

// A place where transfers are slow: a rank's port (its egress is a row of the table, its ingress a column),
// the path from one rank to another, or all of them.
struct SlowLink {
  enum class Kind : std::uint8_t { kPort, kPath, kAll };
  Kind kind = Kind::kPort;
  std::uint32_t rank = kNone;  // of a port
  bool egress = false, ingress = false;
  std::uint32_t from = kNone, to = kNone;  // of a path
  double factor = 1;                       // rate relative to the usual one
  const TransferRecord* longest = nullptr;
};

// Returns slow ports by rank, each side separately. A port is slow if its effect (a logarithm, below zero) is
// below `low` and at least the part `among` of the lowest effect.
std::vector<SlowLink> slow_ports(const LinkRates& rates, double low, double among);
// Returns the paths that are slow compared with their ports, by the same limits.
std::vector<SlowLink> slow_paths(const LinkRates& rates, double low, double among);
// Sorts links, the slowest first, and drops those that are slow by less than `beside` of the slowest: puts
// wait for puts, so the slowest link slows them too.
void keep_slowest(std::vector<SlowLink>& links, double beside);

}  // namespace a3sim
