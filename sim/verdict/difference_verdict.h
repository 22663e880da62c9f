#pragma once

#include <optional>
#include <string>

#include "sim/core/statistics.h"
#include "sim/core/units.h"

namespace a3sim {

// A part of A's configuration that explains a part of the difference.
struct DifferenceCause {
  std::string part;                   // "links"
  std::string keys;                   // what differs in it: "parallel.ep is 4 in A, 8 in B"
  double share = 0;                   // of the difference
  std::optional<Duration> with_it{};  // what B takes with that of A; empty: nothing else differs
};

// How two runs differ, and why. A and B are their names.
struct DifferenceVerdict {
  MedianInterval apart;                     // picoseconds that B takes longer
  double relative = 0;                      // the same as a share of A
  Duration saved{};                         // by which the saved runs differ
  bool one_run = false;                     // of each, without noise and without a search for causes
  std::optional<DifferenceCause> cause{};   // the largest that is no noise
  std::optional<DifferenceCause> hidden{};  // a larger one that is noise
  std::string changed{};  // most of it: "puts that share a port: 8.245 ms less, 2.237 of it in Combine"
  std::optional<double> hit_rates{};  // share of the difference that A's L2 hit rates make alone
};

// Says in words by how much B differs from A, or that noise hides it, and what makes most of the difference.
std::string verdict_text(const DifferenceVerdict& verdict);

}  // namespace a3sim
