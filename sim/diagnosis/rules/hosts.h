#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/slowdown.h"
#include "sim/diagnosis/rules/steady_state.h"

// Measures how long devices wait for their hosts, in slow steps and in every step.
namespace a3sim {

// Ranks whose devices waited longer than usual for their hosts, in ps per slow step: launches came late, or
// the first work began late.
struct HostLag {
  std::vector<std::uint32_t> ranks;  // ranks that waited
  std::vector<double> by_rank;       // one entry per rank
  double most = 0;                   // the largest of `by_rank`
  bool found() const { return !ranks.empty(); }
};
HostLag host_lag(const Slowdown& slowdown);
// Returns the same without ranks whose devices waited because no batch was ready.
HostLag host_lag_beside_batches(const Slowdown& slowdown);

// Returns how long a rank waited for its host in the steps in which it was recorded, beyond the usual, in ps per
// step; 0 if there are none.
double recorded_wait(const Slowdown& slowdown, std::uint32_t rank);
// Returns the part of that wait that events of a kind fill: by how much they grew. 0 if it did not wait.
double filled_part(const Slowdown& slowdown, std::uint32_t rank, HostKind kind);
// Returns by how much all that a rank's host does one after another grew, in ps per recorded step. What the device waits
// for is shared out among its kinds of events in proportion.
double grown_in_turn(const Slowdown& slowdown, std::uint32_t rank);
// Leaves out ranks that waited in recorded steps while none of these events filled the time.
std::vector<std::uint32_t> without_others(const Slowdown& slowdown, std::vector<std::uint32_t> ranks,
                                          HostKind kind);

// Returns whether a rank waits for its host when `like` does, for half as long or more, in most of the steps that were
// recorded: a rank whose own host was not recorded is then taken for one like it.
bool waits_like(const Slowdown& slowdown, std::uint32_t rank, std::uint32_t like);

// Returns whether a rank's idle time that nothing recorded fills must be its host's: its host was recorded, and so was when
// it exchanged data with other ranks.
inline bool idle_is_of_host(const Observation& observation, std::uint32_t rank) {
  return observation.hosts_seen(rank) && observation.exchanges_seen(rank);
}

// Returns the positions among the episode's slow steps of the first one in which one of these ranks waited for its host, and
// behind the last one; both 0 if that is not known.
std::pair<std::size_t, std::size_t> host_steps(const Slowdown& slowdown,
                                               const std::vector<std::uint32_t>& ranks);

// Returns whether queues were seen, and were filled on all ranks that waited for their hosts.
bool batches_were_ready(const Slowdown& slowdown);

// The rank, of those that wait, on which a kind of events fills most of the device's waiting time.
struct HostFill {
  double time = 0;
  std::uint32_t rank = 0;
  RecordPlace place;
};
HostFill host_fill(const Slowdown& slowdown, const HostLag& lag, HostKind kind);

// The activity of a rank's host while its device is idle: means over recorded steps, in ps. Counts the time
// from when the rank could begin until its device is done.
struct HostIdle {
  struct Kind {
    // Idle time of the device during such events. A sync itself runs while the device still works, so for
    // syncs this is the idle time that follows, up to the length of the sync.
    double idle = 0;
    double time = 0, count = 0;  // all such events
    const HostRecord* longest = nullptr;
  };
  double idle = 0;    // idle time of the device
  double silent = 0;  // the longest idle stretch without any host event
  std::array<Kind, kCountOf<HostKind>> kinds{};
  const Kind& operator[](HostKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};
// Returns an entry for each rank whose host was recorded.
std::map<std::uint32_t, HostIdle> host_idle_times(const SteadyState& job);

// Returns the stage of the data pipeline that delays the others, from how full the queues behind it are. With
// a full device queue no stage does; with a full host queue it is fetching, with a full data queue
// processing, else reading.
enum class IoStage : std::uint8_t { kNone, kRead, kProcess, kFetch, kUndecided };
IoStage io_stage(const std::array<double, 3>& fill, double filled);
// Returns the same for a rank that waits for its host. If its queues were not seen, loader events that fill
// the time show that it waits for batches, and their names show for which stage, except a wait for the next
// batch.
IoStage io_stage(const Slowdown& slowdown, const HostLag& lag, std::uint32_t rank);

// Returns whether the devices of most ranks wait because no batch is ready.
bool most_wait_for_batches(const SteadyState& job, double filled);

// Returns a finding for the ranks whose devices are idle during such host events: for more than `least_ms`,
// for more than the part `standing` of a step, and for more than the part `share` of the idle time. Returns
// none if devices wait for batches.
std::vector<Finding> steady_host_events(const SteadyState& job, HostKind kind, const RuleData& data);

}  // namespace a3sim
