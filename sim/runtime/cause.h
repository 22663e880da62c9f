#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"

// Why the activities of a run start when they do, as whoever starts them records it.
namespace a3sim {

// What a piece of time is spent on.
enum class Blame : std::uint8_t {
  kCube,        // arithmetic of a matrix task
  kVector,      // of a vector task
  kCore,        // what a core's own loads, stores and starts add to it, alone and with everything in the L2
  kPut,         // a put to another rank at the rate that it has alone, and its fence
  kL2Read,      // lost to other tasks at the L2's reads
  kL2Write,     // at its writes
  kHbm,         // at the HBM
  kMiss,        // waiting for lines that the L2 did not have
  kLink,        // a put that shares its ports with others
  kHop,         // a put's last byte and its signal, on their way
  kPoll,        // until a trigger is seen on its own rank
  kScheduling,  // fetching, checking and handing out tasks
  kLaunch,      // of kernels
  kCollective   // the host's work before a collective
};
constexpr auto names_of(Blame) {
  return std::to_array<std::string_view>({"cube", "vector", "core", "put", "L2 read", "L2 write", "HBM",
                                          "L2 misses", "link", "hop", "poll", "scheduling", "launch",
                                          "collective"});
}
inline constexpr std::uint32_t kBlames = kCountOf<Blame>;

// A task of a rank.
struct TaskAt {
  std::uint32_t rank = kNone, task = kNone;
  friend bool operator==(TaskAt, TaskAt) = default;
};
inline constexpr TaskAt kNoTask{};

// What let an activity start: another activity, at the date that the kind names.
struct Cause {
  enum class Kind : std::uint8_t {
    kBeginning,   // the beginning of the run; no activity
    kLane,        // the end of the activity before on the same lane
    kEvent,       // the trigger that completed the activity's event was seen
    kScheduler,   // the scheduler on the device had handed that task out
    kHost,        // the end of what the rank's host did
    kKernel,      // the end of the last task of the kernel before
    kMeeting,     // the end of what the last rank did before it came to a meeting of all ranks
    kWorkers,     // the end of an activity that held the workers
    kDependency,  // the end of an activity that had to end first
    kUnknown      // not recorded
  };
  Kind kind = Kind::kBeginning;
  bool host = false;  // the activity is one of the rank's host; else a task
  std::uint32_t rank = kNone, number = kNone;

  bool has_activity() const { return kind != Kind::kBeginning && kind != Kind::kUnknown; }
  TaskAt task() const { return {rank, number}; }
  friend bool operator==(const Cause&, const Cause&) = default;
};
constexpr auto names_of(Cause::Kind) {
  return std::to_array<std::string_view>({"beginning", "lane", "event", "scheduler", "host", "kernel",
                                          "meeting", "workers", "dependency", "unknown"});
}

// What an activity waits for from the date that its cause names until its lane takes it.
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

// Why a task starts now, and how long its worker has waited for that, at the task or without any.
struct StartReason {
  Cause cause;
  Duration waited{};
};

// What a rank's host does: a launch, what precedes a collective, or the ranks' signals that one is over (kHop).
struct HostActivity {
  Blame what = Blame::kLaunch;
  std::uint32_t op = 0;  // that it is done for
  Duration asked{};      // the rank was ready for it; at a meeting before others came
  Duration start{}, end{};
  Cause cause;

  // Whether the host works meanwhile; else its rank waits for others.
  bool works() const { return what != Blame::kHop; }
  friend bool operator==(const HostActivity&, const HostActivity&) = default;
};

}  // namespace a3sim
