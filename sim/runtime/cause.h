#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"

// Says why the activities of a run start when they do. The code that starts an activity records its cause.
namespace a3sim {

// The purposes on which time is spent.
enum class Blame : std::uint8_t {
  kCube,     // arithmetic of a matrix task
  kVector,   // arithmetic of a vector task
  kCore,     // a core's own loads, stores and starts, alone and with everything in the L2
  kPut,      // a put to another rank at the rate that it has alone, and its fence
  kL2Read,   // lost to other tasks that read the L2
  kL2Write,  // lost to other tasks that write the L2
  kHbm,   // lost to other tasks that use the HBM; of a whole kernel also what the HBM takes beyond its cores
  kMiss,  // waiting for lines that the L2 did not have
  kLink,  // lost to other puts on the same ports
  kHop,   // from when a put's last byte has left until its signal arrives
  kPoll,  // from a trigger until it is seen on its own rank
  kScheduling,  // fetching, checking and handing out tasks
  kLaunch,      // launching kernels, and what one holds its cores before they work
  kCollective,  // the host's work before a collective
  kHost,        // the host's other work: calls of a framework, plans, counts that it reads
  kUnknown      // a whole kernel of which only the time is known
};
constexpr auto names_of(Blame) {
  return std::to_array<std::string_view>({"cube", "vector", "core", "put", "L2 read", "L2 write", "HBM",
                                          "L2 misses", "link", "hop", "poll", "scheduling", "launch",
                                          "collective", "host", "unknown"});
}
inline constexpr std::uint32_t kBlames = kCountOf<Blame>;

// A task of a rank.
struct TaskAt {
  std::uint32_t rank = kNone, task = kNone;
  friend bool operator==(TaskAt, TaskAt) = default;
};
inline constexpr TaskAt kNoTask{};

// The reason why an activity could start: another activity, at the time that the kind names.
struct Cause {
  enum class Kind : std::uint8_t {
    kBeginning,   // the run began; there is no activity
    kLane,        // the previous activity on the same lane ended
    kEvent,       // the trigger that completed the activity's event was seen
    kScheduler,   // the scheduler on the device had handed out that task
    kHost,        // the rank's host finished that activity
    kKernel,      // the last task of the previous kernel ended
    kMeeting,     // the last rank came to a meeting of all ranks; the activity is what it did before
    kWorkers,     // an activity that held the workers ended
    kDependency,  // an activity that it depends on ended
    kUnknown      // not recorded
  };
  Kind kind = Kind::kBeginning;
  bool host = false;  // the activity is one of the rank's host; otherwise a task
  std::uint32_t rank = kNone, number = kNone;

  bool has_activity() const { return kind != Kind::kBeginning && kind != Kind::kUnknown; }
  TaskAt task() const { return {rank, number}; }
  friend bool operator==(const Cause&, const Cause&) = default;
};
constexpr auto names_of(Cause::Kind) {
  return std::to_array<std::string_view>({"beginning", "lane", "event", "scheduler", "host", "kernel",
                                          "meeting", "workers", "dependency", "unknown"});
}

// Returns what an activity waits for between its cause and its start.
constexpr Blame wait_after(Cause::Kind kind) {
  switch (kind) {
    case Cause::Kind::kBeginning:
    case Cause::Kind::kKernel:
    case Cause::Kind::kDependency:
      return Blame::kLaunch;
    case Cause::Kind::kEvent:
      return Blame::kPoll;
    case Cause::Kind::kMeeting:
      return Blame::kHop;
    default:
      return Blame::kScheduling;
  }
}

// The cause of a task's start, and how long its worker has waited for that, with or without the task in hand.
struct StartReason {
  Cause cause;
  Duration waited{};
};

// One activity of a rank's host: a launch, the work before a collective, or the wait for the ranks' signals
// that a collective has ended (kHop).
struct HostActivity {
  Blame what = Blame::kLaunch;
  std::uint32_t op = 0;  // the operator that it is done for
  Duration asked{};      // when the rank was ready for it; at a meeting, before others came
  Duration start{}, end{};
  Cause cause;

  // True if the host works during the activity; otherwise its rank waits for other ranks.
  bool works() const { return what != Blame::kHop; }
  friend bool operator==(const HostActivity&, const HostActivity&) = default;
};

}  // namespace a3sim
