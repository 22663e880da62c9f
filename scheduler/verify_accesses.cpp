#include "scheduler/verify_accesses.h"

#include <algorithm>

#include "models/taskflow/block_grid.h"

namespace a3sim {
namespace {

bool intersect(Rows a, Rows b) { return a.begin < b.end && b.begin < a.end; }

// Whether a region is blocks of a grid over its rows.
bool is_cut(const Region& region, const Tiling* tiling) { return region.shares > 1 && tiling; }

// Whether the run's counts say where its rows lie.
bool is_packed(const TensorInfo& tensor) {
  return tensor.layout == Layout::kSent || tensor.layout == Layout::kReceived;
}

// Collects the accesses to tensors that are both read and written.
class AccessTables {
 public:
  AccessTables(const TaskflowView& taskflow, const EventNumbers& events)
      : taskflow_(taskflow), events_(events), places_(taskflow.ranks.front().tensors.size() * ranks()) {
    each([&](std::uint32_t, std::uint32_t, const TaskDescriptor&, const Region& region, bool read) {
      Place& place = places_[number(region)];
      ++(read ? place.reads : place.writes).end;
    });
    std::size_t count = 0;
    for (Place& place : places_) {
      const bool shared = place.reads.end > 0 && place.writes.end > 0;
      for (Part* const part : {&place.reads, &place.writes}) {
        const std::size_t size = shared ? part->end : 0;
        part->begin = part->end = count;
        count += size;
      }
      place.shared = shared;
    }
    accesses_.resize(count);
    each([&](std::uint32_t r, std::uint32_t t, const TaskDescriptor& td, const Region& region, bool read) {
      Place& place = places_[number(region)];
      const Tiling* const tiling = taskflow_.tiling(td);
      const TensorInfo& tensor = taskflow_.ranks[r].tensors[region.tensor];
      if (!place.shared || TouchedBytes::empty(region, tiling, tensor)) return;
      const bool cut = is_cut(region, tiling) && !is_packed(tensor);
      accesses_[(read ? place.reads : place.writes).end++] = {
          region.rows(), read ? events_.waited(r, td) : events_.triggered(td), r, t, td.op, cut, &region};
    });
  }

  void visit(const std::function<void(const TensorAccesses&)>& visit) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].shared) continue;
      visit({taskflow_.ranks[i % ranks()].tensors[i / ranks()], part(places_[i].reads),
             part(places_[i].writes)});
    }
  }

 private:
  // Of accesses_.
  struct Part {
    std::size_t begin = 0, end = 0;
  };
  // A tensor in a rank's memory.
  struct Place {
    Part reads, writes;
    bool shared = false;
  };

  std::size_t ranks() const { return taskflow_.ranks.size(); }
  std::size_t number(const Region& region) const { return region.tensor * ranks() + region.rank; }
  std::span<Access> part(const Part& part) {
    return std::span(accesses_).subspan(part.begin, part.end - part.begin);
  }

  template <class Use>
  void each(Use&& use) const {
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      const TaskflowView::Rank& rank = taskflow_.ranks[r];
      for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
        const TaskDescriptor& td = rank.tasks[t];
        for (const Region& in : rank.inputs(td)) {
          if (!(in.flags & kMetadata)) use(r, t, td, in, true);
        }
        for (const Region& out : rank.outputs(td)) use(r, t, td, out, false);
      }
    }
  }

  const TaskflowView& taskflow_;
  const EventNumbers& events_;
  std::vector<Place> places_;  // by tensor, then rank
  std::vector<Access> accesses_;
};

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
  return {*access.region, taskflow.tiling(taskflow.ranks[access.rank].tasks[access.task]), tensor};
}

void each_shared_tensor(const TaskflowView& taskflow, const EventNumbers& events,
                        const std::function<void(const TensorAccesses&)>& visit) {
  AccessTables(taskflow, events).visit(visit);
}

}  // namespace a3sim
