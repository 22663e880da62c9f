#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

// Who touches which bytes, as the verifier reads it from the regions of tasks. None of this is the
// compiler's: what that overlooks must be seen here.
namespace a3sim {

// Bytes of a tensor that a region may stand for: rectangles of rows and columns. Where rows stay where they
// are, a share of a tile is its base blocks. Where the run's counts pack them, any block of the tile may be
// the share's, so it is all of the tile; a share without a block at capacity has none under any counts.
class TouchedBytes {
 public:
  // `tiling` is that of the region's task; null: it is not cut into blocks.
  TouchedBytes(const Region& region, const Tiling* tiling, const TensorInfo& tensor);

  // All columns of these rows.
  TouchedBytes(Rows rows, const TensorInfo& tensor) : bounds_{rows, {0, tensor.cols}} {}

  // Whether it has no rows: known before the blocks are laid out.
  static bool empty(const Region& region, const Tiling* tiling, const TensorInfo& tensor);
  Rows rows() const { return bounds_.rows; }
  // Whether it is all columns of its rows.
  bool whole() const { return blocks_.empty(); }
  // Whether they have a byte in common; of one tensor in one memory.
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

// The events of all ranks, numbered through.
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
  // kNone for a task that waits for nothing.
  std::uint32_t waited(std::uint32_t rank, const TaskDescriptor& td) const {
    return td.dependent_event == kNone ? kNone : first_[rank] + td.dependent_event;
  }

 private:
  std::vector<std::uint32_t> first_ = {0};  // by rank, and an end
};

// One region of one task that is not empty.
struct Access {
  Rows rows;
  std::uint32_t event;  // that a reader waits for, or a writer counts into
  std::uint32_t rank, task;
  std::uint16_t op;
  std::uint16_t region : 15;  // of the task's
  std::uint16_t cut : 1;      // into blocks, of which the region is some
};

// `tensor` is the one that it is of.
TouchedBytes bytes_of(const TaskflowView& taskflow, const Access& access, const TensorInfo& tensor);

// All accesses to one tensor in one rank's memory, by rank and task; metadata is waited for by nobody and not among
// them.
struct TensorAccesses {
  const TensorInfo& tensor;
  std::span<Access> reads, writes;  // the visitor's to sort
};

// The accesses to tensors that are both read and written.
class AccessTables {
 public:
  // Both must outlive it.
  AccessTables(const TaskflowView& taskflow, const EventNumbers& events);

  // Takes the accesses of the next rank.
  void add(std::uint32_t rank);
  // Once all ranks have been added: calls `visit` for each tensor in each memory that is both read and written.
  void each(const std::function<void(const TensorAccesses&)>& visit);

 private:
  // A tensor in a rank's memory.
  struct Place {
    std::vector<Access> reads, writes;
  };
  // Of a tensor, on whatever rank.
  struct Touched {
    bool read = false, written = false;
    bool both() const { return read && written; }
  };

  std::size_t ranks() const { return taskflow_.ranks.size(); }
  void add(std::uint32_t rank, std::uint32_t task, std::uint32_t number, bool read);
  void add_missed();

  const TaskflowView& taskflow_;
  const EventNumbers& events_;
  std::vector<Place> places_;     // by tensor, then rank
  std::vector<bool> kept_;        // by tensor: its accesses are, as operators read and write it
  std::vector<Touched> touched_;  // by tensor: what tasks do, whatever their operators are said to
};

}  // namespace a3sim
