#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "scheduler/taskflow_view.h"

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

  bool empty() const { return bounds_.rows.empty(); }
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

// One region of one task.
struct Access {
  TouchedBytes bytes;
  std::uint32_t rank, task;
};

// All accesses to one tensor in one rank's memory; metadata is waited for by nobody and not among them.
struct TensorAccesses {
  std::vector<Access> reads, writes;
};

// Calls `visit` for each tensor in each memory that is both read and written.
void each_shared_tensor(const TaskflowView& taskflow,
                        const std::function<void(const TensorAccesses&)>& visit);

}  // namespace a3sim
