#pragma once

#include <cstdint>
#include <vector>

#include "traces/rules/finding.h"
#include "traces/rules/standing.h"

namespace a3sim {

// A rank's ports through which, or a way on which, bytes flow more slowly than elsewhere in the same exchanges.
struct StandingLink {
  std::uint32_t from = kNone, to = kNone;  // of a port one of them is kNone
  double factor = 1;                       // of the rate that is usual among the others
  const TransferRecord* worst = nullptr;

  bool is_path() const { return from != kNone && to != kNone; }
};
// The slowest first. Rates are compared within one operator, pass and plane, each put with the median of its kind; a row
// of sources and destinations is a rank's egress, a column its ingress, a cell a path. `slow`: the factor from which on one
// is slow.
std::vector<StandingLink> standing_links(const Standing& of, double slow);

// What it loses: of the time in which a rank communicates and computes nothing, `factor` would be left.
Finding finding_of(const Standing& of, const StandingLink& link, double threshold);

}  // namespace a3sim
