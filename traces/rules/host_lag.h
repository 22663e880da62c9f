#pragma once

#include <string>
#include <vector>

#include "traces/rules/case.h"
#include "traces/rules/finding.h"
#include "traces/rules/rule_data.h"

namespace a3sim {

// Ranks whose devices waited for their hosts, in ps a slow step above what is usual: by launches that came late, or by
// first works that began late.
struct HostLag {
  std::vector<std::uint32_t> ranks;  // that waited
  std::vector<double> by_rank;       // of all ranks
  double most = 0;                   // of a rank
  bool found() const { return !ranks.empty(); }
};
HostLag host_lag(const Case& of);

// Whether devices waited because batches were not there.
bool waits_for_batches(const Case& of);

// A finding of a kind of host events that fills the time in which devices waited; none where it does not.
std::vector<Finding> judge_host_events(const Case& of, HostKind kind, double least_ms, double share);

// How much of the device's waiting a kind of events fills on the rank where it fills most, and that rank.
struct HostFill {
  double time = 0, share = 0, count = 0;
  std::uint32_t rank = 0;
  std::string place;
};
HostFill host_fill(const Case& of, HostKind kind);

}  // namespace a3sim
