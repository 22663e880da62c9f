#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "traces/report/report.h"

namespace a3sim {

// A pass of one of the two sides.
struct DiffSide {
  std::string pass;
  const Schedule* schedule;
};

struct ScheduleDiff {
  bool same = true;
  Report report;  // a line for each pass, then the tasks that differ
};

// Compares the schedules of `b` with those of `a`, pass by pass. Two tasks are the same if rank, operator
// and index are equal. Their waits differ if other tasks count into their events; event numbers do not
// matter. Text shows the first `most` tasks that differ, data all.
ScheduleDiff diff_schedules(const std::vector<DiffSide>& a, const std::vector<DiffSide>& b, std::size_t most);

}  // namespace a3sim
