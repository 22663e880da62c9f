#pragma once

#include <string>
#include <vector>

#include "traces/analysis/critical_path.h"
#include "traces/report/report.h"

namespace a3sim {

// What critical paths are spent on, by operators' names.
struct OperatorBlame {
  std::vector<std::string> operators;
  std::vector<BlameTimes> blame;  // by operator
};

// Of one run; sums to its makespan.
OperatorBlame blame_of(const Trace& trace, const CriticalPath& path);
// What most of the time is spent on: the first of equals.
struct MainBlame {
  Blame blame{};
  double part = 0;  // of all time
  std::vector<std::string>
      operators;  // at most two, each with a fifth of the time that it takes or more, longest first
};
MainBlame main_blame(const OperatorBlame& blame);
// Of one run less that of another, by the operators of both, the first run's first. Sums exactly to the
// difference of the makespans.
OperatorBlame blame_difference(const Trace& a, const CriticalPath& of_a, const Trace& b,
                               const CriticalPath& of_b);

// A table of it, in which what nothing is spent on has no column and no row; nothing at all, no table.
void add_blame(Report& report, const std::string& head, const OperatorBlame& blame);

}  // namespace a3sim
