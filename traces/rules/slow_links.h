#pragma once

#include <string>
#include <utility>
#include <vector>

#include "traces/rules/case.h"
#include "traces/rules/finding.h"
#include "traces/rules/rule_data.h"

namespace a3sim {

// Where transfers are slower than usual: a rank's port (a row of sources and destinations is its egress, a column its
// ingress), the way from one rank to another, or all of them.
struct SlowLink {
  enum class Kind : std::uint8_t { kPort, kPath, kAll };
  Kind kind = Kind::kPort;
  std::uint32_t rank = kNone;  // of a port
  bool egress = false, ingress = false;
  std::uint32_t from = kNone, to = kNone;  // of a path
  double factor = 1;                       // of the usual rate
  const TransferRecord* worst = nullptr;
};
// The slowest first. `slow`: the factor from which on it is.
std::vector<SlowLink> slow_links(const Case& of, double slow);

// Single puts that waited much longer than any usual one, all about as long.
struct LatePuts {
  std::uint32_t src = kNone;
  std::uint32_t count = 0, of = 0;  // late ones; all of the rank
  double excess = 0;                // ps, median
  double spread = 0;                // of it: (largest - smallest) / median
  double together = 0;              // ps a step
  double alone = 0;                 // part of them beside which others went the same way as ever
  const TransferRecord* worst = nullptr;
};
std::vector<LatePuts> late_puts(const Case& of);

// The part of the lag that slow transfers can explain: what transfers take longer, and what computing does not.
double communication_share(const Case& of);

// What a finding of a place says: ranks, links, side, factor and the slowest put.
Finding finding_of(const Case& of, const SlowLink& link, double threshold);

}  // namespace a3sim
