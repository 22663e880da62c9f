#pragma once

#include <vector>

#include "traces/analysis/causes.h"

namespace a3sim {

// A stretch of the critical path: a task that ran, or the wait between two tasks.
struct PathSegment {
  Duration from{}, to{};
  std::uint32_t op = 0;  // the operator to blame
  TaskAt task{};         // task that ran or was waited for; kNoTask for the host's time
  bool ran = false;
  BlameTimes blame{};  // sums to `to - from`
};

// The chain of tasks and waits from the common start to a run's last completion. Each segment begins where the
// one before ends, so that the segments sum to the makespan.
struct CriticalPath {
  std::vector<PathSegment> segments;
  // The time by operator, then by what it was spent on. Sums to the makespan.
  std::vector<BlameTimes> blame;
};

// Goes backwards from the last completion, from each activity to its recorded cause. The time between the
// cause's time and the activity's start is blamed on the cause's kind (wait_after()), or on scheduling from
// when the activity's worker took it.
// Throws InputError if the tasks do not fit the makespan or each other.
CriticalPath critical_path(const Causes& causes);

// Neighbouring segments of a critical path, merged into one.
struct PathStretch {
  Duration from{}, to{};
  std::vector<std::uint32_t> ops;  // in the order of their first segment
  std::uint32_t tasks = 0;         // tasks that ran
  BlameTimes blame{};

  // Returns what most of the time was spent on; of equals the first.
  Blame most() const;
};

// Returns the path as at most `most` stretches (at least 1). First merges neighbouring segments of one
// operator, then two operators that take turns. Then, as often as needed, merges the shortest stretch with
// the shorter of its neighbours, and with others of the same operators.
std::vector<PathStretch> summarise(const CriticalPath& path, std::size_t most);

}  // namespace a3sim
