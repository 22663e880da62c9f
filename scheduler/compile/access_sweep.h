#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/compile/dependencies.h"
#include "scheduler/compile/footprint.h"
#include "sim/core/bucket_sort.h"

namespace a3sim {

// Finds the task groups of a taskflow, and which of them read what others write, in the memory of some ranks
// at a time.
class AccessSweep {
 public:
  // A rank's tables are read when add() is called; `taskflow` must outlive the sweep.
  explicit AccessSweep(const TaskflowView& taskflow);

  // Returns whether tasks wait for a region: one operator writes its tensor, another one reads it, and it is
  // not metadata.
  bool counts(const Region& region) const { return internal_[region.tensor] && !(region.flags & kMetadata); }

  // Restarts the sweep for the memory of ranks [first, first + ranks). Ignores accesses to other memory.
  void begin(std::uint32_t first, std::uint32_t ranks);
  // Adds the groups of a rank's tasks.
  void add(std::uint32_t rank);
  // Adds a group that writes these rows in the memory of the only rank of the sweep.
  void add_writer(const TaskGroup& group, std::uint32_t tensor, Rows rows);

  // Returns the groups that were added, and forgets them.
  std::vector<TaskGroup> take_groups() { return std::exchange(groups_, {}); }
  // Returns the pairs that overlap, in any order, and forgets the accesses.
  std::vector<Dependency> take_edges();

 private:
  // A region as one side of the sweep.
  struct Access {
    std::uint32_t row, end;  // its rows
    std::uint32_t group;
    std::uint32_t region : 31;  // index in the tables of the group's rank
    std::uint32_t all : 1;      // covers all bytes of its rows
  };
  using Places = std::vector<std::vector<Access>>;  // one entry per tensor, then rank

  bool alike(const TaskflowView::Rank& rank, const Region& a, const Region& b, const Tiling* tiling) const;
  bool alike(const TaskflowView::Rank& rank, const TaskDescriptor& a, const TaskDescriptor& b) const;
  void add(const TaskflowView::Rank& rank, const TaskDescriptor& td, std::span<const Region> regions,
           Places& places) const;
  void sort(std::vector<Access>& accesses);
  void open(const Access& access, bool is_read);
  Footprint footprint(const Access& access) const;

  const TaskflowView& taskflow_;
  std::span<const TensorInfo> tensors_;  // layouts and columns are the same on every rank
  std::vector<bool> internal_;           // tensors that one operator writes and another reads
  std::uint32_t first_ = 0, ranks_ = 0;  // ranks whose memory is swept
  std::vector<TaskGroup> groups_;
  Places reads_, writes_;
  std::vector<Access> open_reads_, open_writes_;  // accesses whose rows have begun
  std::vector<Dependency> edges_;
  BlockOwners owners_;
  BucketSort<Access> sort_;
};

}  // namespace a3sim
