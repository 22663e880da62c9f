#pragma once

#include <memory>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/verify.h"

// The checks that verify() consists of. Each adds its errors, or a note that says what held.
namespace a3sim {

// Checks that the schedules are those of ranks 0 to n - 1 of one group, and that all fields which other
// checks read from rank 0 alone are the same on every rank: shape, graph, order, assignment, workers,
// tensors, operators, tilings. Also checks that each rank has room for the rows that the others send to it.
void check_group(const Schedule& schedule, Findings& findings);

// Base class of the other checks. They visit one rank after another, so that its tables are still in the
// caches for the next check. A check stores only what it needs to compare ranks.
class Check {
 public:
  virtual ~Check() = default;
  virtual void visit(std::uint32_t rank) = 0;
  virtual void finish() {}  // called after all ranks have been visited
  const Findings& findings() const { return findings_; }

 protected:
  Findings findings_;
};

// The schedules to check.
struct CheckedGroup {
  explicit CheckedGroup(const Schedule& checked) : schedule(checked), taskflow(checked) {}
  const Schedule& schedule;
  TaskflowView taskflow;
};

// Checks that operators are of known types and have operands that these can work on, and that tasks are of
// their operators' types.
std::unique_ptr<Check> types_check(const CheckedGroup& group);

// Checks that regions are inside their tensors, and triggers inside the event tables, on every rank.
std::unique_ptr<Check> regions_check(const CheckedGroup& group);

// Checks that thresholds equal the triggers that events receive from all ranks.
std::unique_ptr<Check> thresholds_check(const CheckedGroup& group);

// Checks that tasks touch only the tensors of their operators. Only puts may write other ranks' memory: that
// of their destination, where they must also trigger their event.
std::unique_ptr<Check> operands_check(const CheckedGroup& group);

// Checks that every tensor that is not external is written in full, each byte by one task.
std::unique_ptr<Check> writes_check(const CheckedGroup& group);

// Checks that tasks read the rows from which the rows that they write follow.
std::unique_ptr<Check> reads_check(const CheckedGroup& group);

// Checks that every task that reads what another one writes waits for it, directly or through other events.
std::unique_ptr<Check> waits_check(const CheckedGroup& group);

// Checks that puts between sent and received rows move every row once, to its place.
std::unique_ptr<Check> rows_check(const CheckedGroup& group);

// Checks that puts between plain tensors, of which each rank has a block, move every row to its place.
std::unique_ptr<Check> blocks_check(const CheckedGroup& group);

// Notes for each operator whether the destinations of its puts form a permutation at every position of the
// ring.
std::unique_ptr<Check> ring_check(const CheckedGroup& group);

}  // namespace a3sim
