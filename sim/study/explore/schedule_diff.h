#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "traces/report/report.h"

namespace a3sim {

// One pass of one side.
struct DiffSide {
  std::string pass;
  const Schedule* schedule;
};

struct ScheduleDiff {
  bool same = true;
  Report report;  // a line a pass, then the tasks that differ
};

// How the schedules of `b` differ from those of `a`, pass by pass. Tasks are the same if rank, operator and
// index are; they wait for something else if other tasks count into their event, whatever its number. People
// see the first `most` tasks that differ, programs all.
ScheduleDiff diff_schedules(const std::vector<DiffSide>& a, const std::vector<DiffSide>& b, std::size_t most);

}  // namespace a3sim
