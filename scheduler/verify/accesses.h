#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

// Finds which tasks read and write which bytes, for the verifier, from the regions of tasks. Shares no code
// with the compiler, so that the verifier sees what the compiler overlooks.
namespace a3sim {

// The bytes of a tensor that a region may cover, as rectangles of rows and columns. If rows have fixed
// places, a share of a tile is its base blocks. If the run's counts pack the rows, the share may be any
// blocks of the tile, so it counts as the whole tile; a share without a block at capacity has none under any
// counts.
class TouchedBytes {
 public:
  // `tiling` is the tiling of the region's task. Null means that the task is not cut into blocks.
  TouchedBytes(const Region& region, const Tiling* tiling, const TensorInfo& tensor);

  // Covers all columns of these rows.
  TouchedBytes(Rows rows, const TensorInfo& tensor) : bounds_{rows, {0, tensor.cols}} {}

  // Returns whether the region covers nothing, without laying out its blocks.
  static bool empty(const Region& region, const Tiling* tiling, const TensorInfo& tensor);
  Rows rows() const { return bounds_.rows; }
  // Returns whether it covers all columns of its rows.
  bool whole() const { return blocks_.empty(); }
  // Returns whether they have a byte in common. Both must be in one tensor in one memory.
  bool meets(const TouchedBytes& other) const;

 private:
  struct Rectangle {
    Rows rows, cols;
  };
  static bool meet(const Rectangle& a, const Rectangle& b);
  std::span<const Rectangle> rectangles() const {
    return whole() ? std::span(&bounds_, 1) : std::span<const Rectangle>(blocks_);
  }

  Rectangle bounds_;
  std::vector<Rectangle> blocks_;
};

// Numbers the events of all ranks consecutively.
class EventNumbers {
 public:
  explicit EventNumbers(const TaskflowView& taskflow) {
    for (const TaskflowView::Rank& rank : taskflow.ranks)
      first_.push_back(first_.back() + static_cast<std::uint32_t>(rank.events.size()));
  }
  std::uint32_t count() const { return first_.back(); }
  std::uint32_t triggered(const TaskDescriptor& td) const {
    return first_[td.trigger_rank] + td.trigger_event;
  }
  // Returns kNone for a task that waits for nothing.
  std::uint32_t waited(std::uint32_t rank, const TaskDescriptor& td) const {
    return td.dependent_event == kNone ? kNone : first_[rank] + td.dependent_event;
  }

 private:
  std::vector<std::uint32_t> first_ = {0};  // one entry per rank, and the end
};

// A region of a task that is not empty.
struct Access {
  Rows rows;
  std::uint32_t event;  // the event that a reader waits for, or a writer triggers
  std::uint32_t rank, task;
  std::uint16_t op;
  std::uint16_t region : 15;  // number of the region among the task's
  std::uint16_t cut : 1;      // the region is some of the blocks that its rows are cut into
};

// Returns the bytes of an access. `tensor` must be its tensor.
TouchedBytes bytes_of(const TaskflowView& taskflow, const Access& access, const TensorInfo& tensor);

// All accesses to one tensor in one rank's memory, by rank and task. Leaves out metadata, which no task waits
// for.
struct TensorAccesses {
  const TensorInfo& tensor;
  std::span<Access> reads, writes;  // the visitor may sort them
};

// Collects the accesses to tensors that are both read and written.
class AccessTables {
 public:
  // Both arguments must outlive the tables.
  AccessTables(const TaskflowView& taskflow, const EventNumbers& events);

  // Adds the accesses of the next rank.
  void add(std::uint32_t rank);
  // Calls `visit` for each tensor in each memory that is both read and written. Call it after all ranks have
  // been added.
  void each(const std::function<void(const TensorAccesses&)>& visit);

 private:
  // A tensor in a rank's memory.
  struct Place {
    std::vector<Access> reads, writes;
  };
  // Says whether any rank's tasks read or write a tensor.
  struct Touched {
    bool read = false, written = false;
    bool both() const { return read && written; }
  };

  std::size_t ranks() const { return taskflow_.ranks.size(); }
  void add(std::uint32_t rank, std::uint32_t task, std::uint32_t number, bool read);
  void add_missed();

  const TaskflowView& taskflow_;
  const EventNumbers& events_;
  std::vector<Place> places_;  // one entry per tensor, then rank
  // One entry per tensor: true if operators read and write it, so that its accesses are kept.
  std::vector<bool> kept_;
  // One entry per tensor: what tasks do to it, whatever their operators declare.
  std::vector<Touched> touched_;
};

}  // namespace a3sim
