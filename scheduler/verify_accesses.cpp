#include "scheduler/verify_accesses.h"

#include <algorithm>

#include "models/taskflow/block_grid.h"

namespace a3sim {
namespace {

bool intersect(Rows a, Rows b) { return a.begin < b.end && b.begin < a.end; }

// Where an access stands in the tables.
struct AccessPlace {
  std::uint32_t rank, task;
  const Region* region;
};

}  // namespace

TouchedBytes::TouchedBytes(const Region& region, const Tiling* tiling, const TensorInfo& tensor)
    : bounds_{region.rows(), {0, tensor.cols}} {
  if (region.shares <= 1 || !tiling) return;
  const BlockGrid grid(region.rows().size(), tensor.cols, *tiling);
  if (region.share >= grid.count()) {
    bounds_.rows = {};
    return;
  }
  if (tensor.layout == Layout::kSent || tensor.layout == Layout::kReceived) return;
  for (std::uint32_t b = region.share; b < grid.count(); b += region.shares) {
    const BlockGrid::Block block = grid.block(b);
    const std::uint32_t row = region.row_begin + block.row;
    blocks_.push_back({{row, row + block.rows}, {block.col, block.col + block.cols}});
  }
}

bool TouchedBytes::meet(const Rectangle& a, const Rectangle& b) {
  return intersect(a.rows, b.rows) && intersect(a.cols, b.cols);
}

bool TouchedBytes::meets(const TouchedBytes& other) const {
  if (!meet(bounds_, other.bounds_)) return false;
  return std::ranges::any_of(rectangles(), [&](const Rectangle& a) {
    return std::ranges::any_of(other.rectangles(), [&](const Rectangle& b) { return meet(a, b); });
  });
}

void each_shared_tensor(const TaskflowView& taskflow,
                        const std::function<void(const TensorAccesses&)>& visit) {
  struct Touching {
    std::vector<AccessPlace> reads, writes;
  };
  const std::size_t ranks = taskflow.ranks.size();
  std::vector<Touching> by_place(taskflow.ranks.front().tensors.size() * ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const TaskflowView::Rank& rank = taskflow.ranks[r];
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      for (const Region& in : rank.inputs(rank.tasks[t])) {
        if (!(in.flags & kMetadata)) by_place[in.tensor * ranks + in.rank].reads.push_back({r, t, &in});
      }
      for (const Region& out : rank.outputs(rank.tasks[t]))
        by_place[out.tensor * ranks + out.rank].writes.push_back({r, t, &out});
    }
  }
  const auto accesses = [&](const std::vector<AccessPlace>& places) {
    std::vector<Access> result;
    result.reserve(places.size());
    for (const AccessPlace& place : places) {
      const TaskflowView::Rank& rank = taskflow.ranks[place.rank];
      TouchedBytes bytes(*place.region, taskflow.tiling(rank.tasks[place.task]),
                         rank.tensors[place.region->tensor]);
      if (!bytes.empty()) result.push_back({std::move(bytes), place.rank, place.task});
    }
    return result;
  };
  for (const Touching& touching : by_place) {
    if (touching.reads.empty() || touching.writes.empty()) continue;
    visit({accesses(touching.reads), accesses(touching.writes)});
  }
}

}  // namespace a3sim
