#pragma once

#include <memory>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/verify.h"

// The checks that verify() is made of. Each adds its errors, or a note that says what held.
namespace a3sim {

// The schedules are those of ranks 0 to n - 1 of one group. Whatever other checks read from rank 0 alone is the same on
// every rank, in every field: shape, graph, order, assignment, workers, tensors, operators, tilings. Each rank has room
// for the rows that the others send to it.
void check_group(const Schedule& schedule, Findings& findings);

// One of the others. Ranks are looked at one after the other, each by several checks while its tables are in the
// caches; what a check keeps of a rank is what only all of them together show.
class Check {
 public:
  virtual ~Check() = default;
  virtual void look_at(std::uint32_t rank) = 0;
  virtual void finish() {}  // once all ranks have been looked at
  const Findings& findings() const { return findings_; }

 protected:
  Findings findings_;
};

// What the checks look at.
struct CheckedGroup {
  explicit CheckedGroup(const Schedule& checked) : schedule(checked), taskflow(checked) {}
  const Schedule& schedule;
  TaskflowView taskflow;
};

// Operators are of known types and have operands that these can work on; tasks are of their operators' types.
std::unique_ptr<Check> types_check(const CheckedGroup& group);

// Regions lie inside their tensors, triggers inside the event tables, on whatever rank.
std::unique_ptr<Check> regions_check(const CheckedGroup& group);

// Thresholds equal the triggers that events receive over all ranks.
std::unique_ptr<Check> thresholds_check(const CheckedGroup& group);

// Tasks touch the tensors of their operators; puts alone write other ranks' memory, each that of its
// destination, where it counts into an event too.
std::unique_ptr<Check> operands_check(const CheckedGroup& group);

// Every tensor that is not given from outside is written in full, each byte by one task.
std::unique_ptr<Check> writes_check(const CheckedGroup& group);

// Tasks read the rows that those which they write follow from.
std::unique_ptr<Check> reads_check(const CheckedGroup& group);

// Every task that reads what another one writes waits for it: directly, or through what it waits for.
std::unique_ptr<Check> waits_check(const CheckedGroup& group);

// Puts between sent and received rows move every row once, to its place.
std::unique_ptr<Check> rows_check(const CheckedGroup& group);

// Puts between plain tensors of which each rank has a block move every row to its place.
std::unique_ptr<Check> blocks_check(const CheckedGroup& group);

// At every position of the ring the destinations of an operator's puts form a permutation, or do not: a note of each.
std::unique_ptr<Check> ring_check(const CheckedGroup& group);

}  // namespace a3sim
