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

// Backwards from the last completion: what made each task start when it did.
//   static: its event, if that was seen after its worker had fetched and checked it; else its worker's task
//   before.
//   dynamic: of its event, its worker and the scheduler what came last before it was handed out.
//   kernel by kernel: its worker's task before in the kernel; else the kernel's launch or the meeting of all
//   ranks, and the task that ended last in the kernel before, on the rank that came last.
// Where nothing in the records says why a task did not start sooner, the time is the scheduling's.
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
