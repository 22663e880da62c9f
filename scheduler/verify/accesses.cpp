#include "scheduler/verify/accesses.h"

#include <algorithm>

#include "models/taskflow/block_grid.h"

namespace a3sim {
namespace {

bool intersect(Rows a, Rows b) { return a.begin < b.end && b.begin < a.end; }

// Returns whether a region is some blocks of a grid over its rows.
bool is_cut(const Region& region, const Tiling* tiling) { return region.shares > 1 && tiling; }

// Returns whether the run's counts decide where the tensor's rows are.
bool is_packed(const TensorInfo& tensor) {
  return tensor.layout == Layout::kSent || tensor.layout == Layout::kReceived;
}

}  // namespace

bool TouchedBytes::empty(const Region& region, const Tiling* tiling, const TensorInfo& tensor) {
  if (!is_cut(region, tiling)) return region.rows().empty();
  return region.share >= BlockGrid(region.rows().size(), tensor.cols, *tiling).count();
}

TouchedBytes::TouchedBytes(const Region& region, const Tiling* tiling, const TensorInfo& tensor)
    : bounds_{region.rows(), {0, tensor.cols}} {
  if (!is_cut(region, tiling) || is_packed(tensor)) return;
  const BlockGrid grid(region.rows().size(), tensor.cols, *tiling);
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
  if (whole() && other.whole()) return true;
  return std::ranges::any_of(rectangles(), [&](const Rectangle& a) {
    return std::ranges::any_of(other.rectangles(), [&](const Rectangle& b) { return meet(a, b); });
  });
}

TouchedBytes bytes_of(const TaskflowView& taskflow, const Access& access, const TensorInfo& tensor) {
  if (!access.cut) return {access.rows, tensor};
  const TaskflowView::Rank& rank = taskflow.ranks[access.rank];
  const TaskDescriptor& td = rank.tasks[access.task];
  return {rank.regions[td.first_region + access.region], taskflow.tiling(td), tensor};
}

AccessTables::AccessTables(const TaskflowView& taskflow, const EventNumbers& events)
    : taskflow_(taskflow),
      events_(events),
      places_(taskflow.ranks.front().tensors.size() * ranks()),
      kept_(taskflow.ranks.front().tensors.size()),
      touched_(kept_.size()) {
  std::vector<Touched> said(kept_.size());
  for (const OperatorInfo& op : taskflow.operators) {
    for (const TensorId in : op.inputs) said[index(in)].read = true;
    for (const TensorId out : op.outputs) said[index(out)].written = true;
  }
  for (std::size_t t = 0; t < said.size(); ++t) kept_[t] = said[t].both();
}

void AccessTables::add(std::uint32_t r) {
  const TaskflowView::Rank& rank = taskflow_.ranks[r];
  for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
    const TaskDescriptor& td = rank.tasks[t];
    for (std::uint32_t i = 0; i < td.num_inputs; ++i) {
      if (!(rank.regions[td.first_region + i].flags & kMetadata)) add(r, t, i, true);
    }
    for (std::uint32_t i = 0; i < td.num_outputs; ++i) add(r, t, td.num_inputs + i, false);
  }
}

void AccessTables::add(std::uint32_t r, std::uint32_t t, std::uint32_t number, bool read) {
  const TaskflowView::Rank& rank = taskflow_.ranks[r];
  const TaskDescriptor& td = rank.tasks[t];
  const Region& region = rank.regions[td.first_region + number];
  Touched& touched = touched_[region.tensor];
  (read ? touched.read : touched.written) = true;
  if (!kept_[region.tensor]) return;
  const Tiling* const tiling = taskflow_.tiling(td);
  const TensorInfo& tensor = rank.tensors[region.tensor];
  if (TouchedBytes::empty(region, tiling, tensor)) return;
  Place& place = places_[region.tensor * ranks() + region.rank];
  std::vector<Access>& accesses = read ? place.reads : place.writes;
  if (accesses.empty()) accesses.reserve(td.task_split_num);  // mostly as many as its operator has tasks
  accesses.push_back({.rows = region.rows(),
                      .event = read ? events_.waited(r, td) : events_.triggered(td),
                      .rank = r,
                      .task = t,
                      .op = td.op,
                      .region = static_cast<std::uint16_t>(number & 0x7fffU),
                      .cut = is_cut(region, tiling) && !is_packed(tensor)});
}

// Adds tensors that tasks both read and write although their operators do not. No sound schedule has any.
// Walks all tasks again if there are some.
void AccessTables::add_missed() {
  bool any = false;
  for (std::size_t t = 0; t < kept_.size(); ++t) {
    any = any || (touched_[t].both() && !kept_[t]);
    kept_[t] = kept_[t] || touched_[t].both();
  }
  if (!any) return;
  for (Place& place : places_) place = {};
  for (std::uint32_t r = 0; r < ranks(); ++r) add(r);
}

void AccessTables::each(const std::function<void(const TensorAccesses&)>& visit) {
  add_missed();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (!place.reads.empty() && !place.writes.empty())
      visit({taskflow_.ranks[i % ranks()].tensors[i / ranks()], place.reads, place.writes});
    place = {};
  }
}

}  // namespace a3sim
