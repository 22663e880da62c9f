#pragma once

#include <string>
#include <vector>

#include "traces/analysis/critical_path.h"
#include "traces/report/report.h"

namespace a3sim {

// The time of critical paths by operators' names, split by what it is spent on.
struct OperatorBlame {
  std::vector<std::string> operators;
  std::vector<BlameTimes> blame;  // one entry per operator
};

// Returns the blame of one run. It sums to the makespan.
OperatorBlame blame_of(const Trace& trace, const CriticalPath& path);
// The causes that a path is spent on, by operator.
struct MainBlame {
  Blame blame{};
  double part = 0;  // share of all time
  // At most two, each with a fifth or more of the cause's time, longest first.
  std::vector<std::string> operators;
};
// Returns the causes that take any time, the longest first.
std::vector<MainBlame> ranked_blame(const OperatorBlame& blame);
// Returns the blame of one run less that of another, by the operators of both; the first run's come first.
// Sums exactly to the difference of the makespans.
OperatorBlame blame_difference(const Trace& a, const CriticalPath& of_a, const Trace& b,
                               const CriticalPath& of_b);

// Adds a table of the blame without empty columns and rows. Adds no table if all is empty.
void add_blame(Report& report, const std::string& head, const OperatorBlame& blame);

}  // namespace a3sim
