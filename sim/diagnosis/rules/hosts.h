#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/diagnosis/rules/case.h"
#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/standing.h"

// What devices wait for their hosts, in slow steps and in every step.
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

// How much of the device's waiting a kind of events fills on the rank where it fills most, and that rank.
struct HostFill {
  double time = 0;
  std::uint32_t rank = 0;
  std::string place;
};
HostFill host_fill(const Case& of, HostKind kind);

// What a rank's host does while its device has nothing to do, in ps of a step: means of its recorded steps, from when
// the rank could begin until its device is through.
struct HostStands {
  struct Kind {
    // Of the time in which the device is idle: these events are under way. Of syncs: they were before, and no longer
    // than they took; their own time passes while the device still works.
    double idle = 0;
    double time = 0, count = 0;  // of all of them
    const HostRecord* longest = nullptr;
  };
  double idle = 0;    // of the device
  double silent = 0;  // the longest stretch of that without any event of the host
  std::array<Kind, kCountOf<HostKind>> kinds{};
  const Kind& operator[](HostKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};
// By rank whose host was seen.
std::map<std::uint32_t, HostStands> hosts_of(const Standing& of);

// Which stage of the data pipeline holds the others up, by which queues behind it are filled: the device's filled: none;
// else the host's: fetching; else that of data: processing; else reading.
enum class IoStage : std::uint8_t { kNone, kRead, kProcess, kFetch };
IoStage io_stage(const std::array<double, 3>& fill, double filled);

// Whether the devices of most ranks wait because batches are not there.
bool stands_for_batches(const Standing& of, double filled);

// A finding of ranks whose devices are idle while their hosts are busy with such events: for more than `least_ms`,
// `standing` of a step, and `share` of the idle time. Nothing where they wait for batches.
std::vector<Finding> standing_host_events(const Standing& of, HostKind kind, const RuleData& data);

}  // namespace a3sim
