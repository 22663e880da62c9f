#pragma once

#include <vector>

#include "traces/analysis/causes.h"

namespace a3sim {

// A stretch of the critical path: a task that ran, or the wait between one and the next.
struct PathStep {
  Duration from{}, to{};
  std::uint32_t op = 0;  // that is to blame
  TaskAt task{};         // that ran, or that was waited for; none for what is the host's
  bool ran = false;
  BlameTimes blame{};  // sums to `to - from`
};

// The chain of tasks and waits that leads to a run's last completion, from the common start on: each step
// begins where the one before ends, so that the steps sum to the makespan.
struct CriticalPath {
  std::vector<PathStep> steps;
  // By operator, then what time was spent on; sums to the makespan.
  std::vector<BlameTimes> blame;
};

// Goes backwards from the last completion, from each activity to its recorded cause. What lies between the date that
// a cause names and the start of the activity is spent on what the cause's kind says (wait_after()), and on
// scheduling from when the activity's worker took it.
// Throws InputError where the tasks do not fit the makespan or each other.
CriticalPath critical_path(const Causes& causes);

// Neighbouring steps of a critical path, taken as one.
struct PathStretch {
  Duration from{}, to{};
  std::vector<std::uint32_t> ops;  // in the order of their first step
  std::uint32_t tasks = 0;         // that ran
  BlameTimes blame{};

  // What most of it was spent on; the first of equals.
  Blame most() const;
};

// The path in at most `most` stretches (at least 1): runs of one operator; if these are too many, two that
// take turns in one; and then, as often as needed, the shortest stretch together with the shorter of its
// neighbours, and with those that have no other operators.
std::vector<PathStretch> summarise(const CriticalPath& path, std::size_t most);

}  // namespace a3sim
