#include "scheduler/compile/access_sweep.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace a3sim {

AccessSweep::AccessSweep(const TaskflowView& taskflow)
    : taskflow_(taskflow), tensors_(taskflow.ranks.front().tensors) {
  std::vector<bool> written(tensors_.size()), read(tensors_.size());
  for (const OperatorInfo& op : taskflow.operators) {
    for (const TensorId t : op.outputs) written[index(t)] = true;
    for (const TensorId t : op.inputs) read[index(t)] = true;
  }
  for (std::size_t t = 0; t < tensors_.size(); ++t) internal_.push_back(written[t] && read[t]);
}

void AccessSweep::begin(std::uint32_t first, std::uint32_t ranks) {
  first_ = first;
  ranks_ = ranks;
  reads_.resize(tensors_.size() * ranks);
  writes_.resize(reads_.size());
  std::size_t tasks = 0;
  for (std::uint32_t r = first; r < first + ranks; ++r) tasks += taskflow_.ranks[r].tasks.size();
  groups_.reserve(tasks);  // unused capacity takes no memory
}

namespace {

Footprint footprint_of(const TaskflowView::Rank& rank, const Region& region, const Tiling* tiling) {
  return {region, tiling, rank.tensors[region.tensor]};
}

}  // namespace

// Returns whether no other access can tell the two regions apart.
bool AccessSweep::alike(const TaskflowView::Rank& rank, const Region& a, const Region& b,
                        const Tiling* tiling) const {
  if (a.tensor != b.tensor || a.flags != b.flags) return false;
  if (!counts(a)) return true;
  if (a.rank != b.rank || a.rows() != b.rows() || a.shares != b.shares) return false;
  if (a.share == b.share) return true;
  const Footprint of_a = footprint_of(rank, a, tiling), of_b = footprint_of(rank, b, tiling);
  return of_a.empty() == of_b.empty() && (of_a.empty() || !of_a.exact());
}

bool AccessSweep::alike(const TaskflowView::Rank& rank, const TaskDescriptor& a,
                        const TaskDescriptor& b) const {
  if (std::tie(a.op, a.num_inputs, a.num_outputs, a.tiling_data_position) !=
      std::tie(b.op, b.num_inputs, b.num_outputs, b.tiling_data_position)) {
    return false;
  }
  const Region* of_a = rank.regions.data() + a.first_region;
  const Region* of_b = rank.regions.data() + b.first_region;
  for (std::uint32_t i = 0; i < std::uint32_t{a.num_inputs} + a.num_outputs; ++i) {
    if (!alike(rank, of_a[i], of_b[i], taskflow_.tiling(a))) return false;
  }
  return true;
}

void AccessSweep::add(std::uint32_t r) {
  const TaskflowView::Rank& rank = taskflow_.ranks[r];
  for (std::uint32_t i = 0; i < rank.tasks.size(); ++i) {
    const TaskDescriptor& td = rank.tasks[i];
    if (i > 0 && alike(rank, rank.tasks[groups_.back().first], td)) {
      ++groups_.back().count;
      continue;
    }
    groups_.push_back({r, td.op, i, 1});
    add(rank, td, rank.inputs(td), reads_);
    add(rank, td, rank.outputs(td), writes_);
  }
}

void AccessSweep::add(const TaskflowView::Rank& rank, const TaskDescriptor& td,
                      std::span<const Region> regions, Places& places) const {
  const Tiling* tiling = taskflow_.tiling(td);
  for (const Region& region : regions) {
    if (!counts(region) || region.rank - first_ >= ranks_) continue;
    const bool all = region.shares <= 1 || tiling == nullptr;
    if (all ? region.rows().empty() : footprint_of(rank, region, tiling).empty()) continue;
    std::vector<Access>& accesses = places[region.tensor * ranks_ + region.rank - first_];
    // A rank's tasks access a place about as often as those of all ranks do: either all come from their rank,
    // or one from each.
    if (accesses.empty()) accesses.reserve(td.task_split_num / (all ? 1 : region.shares));
    accesses.push_back({region.row_begin, region.row_end, static_cast<std::uint32_t>(groups_.size() - 1),
                        static_cast<std::uint32_t>(&region - rank.regions.data()) & 0x7fffffffU, all});
  }
}

void AccessSweep::add_writer(const TaskGroup& group, std::uint32_t tensor, Rows rows) {
  groups_.push_back(group);
  writes_[tensor].push_back({rows.begin, rows.end, static_cast<std::uint32_t>(groups_.size() - 1), 0, 1});
}

// Walks reads and writes of a place by their first row, with a list of open accesses each.
std::vector<Dependency> AccessSweep::take_edges() {
  edges_.reserve(groups_.size());
  for (std::size_t place = 0; place < reads_.size(); ++place) {
    std::vector<Access> reads = std::move(reads_[place]), writes = std::move(writes_[place]);
    if (reads.empty() || writes.empty()) continue;
    sort(reads);
    sort(writes);
    open_reads_.clear();
    open_writes_.clear();
    for (std::size_t r = 0, w = 0; r < reads.size() || w < writes.size();) {
      if (r < reads.size() && (w == writes.size() || reads[r].row < writes[w].row)) {
        open(reads[r++], true);
      } else {
        open(writes[w++], false);
      }
    }
  }
  return std::exchange(edges_, {});
}

void AccessSweep::sort(std::vector<Access>& accesses) {
  std::uint32_t last = 0;
  for (const Access& access : accesses) last = std::max(last, access.row);
  sort_.sort(
      std::span(accesses), std::uint64_t{last} + 1, [](const Access& access) { return access.row; },
      [](const Access& a, const Access& b) { return a.row != b.row ? a.row < b.row : a.group < b.group; });
}

void AccessSweep::open(const Access& access, bool is_read) {
  std::vector<Access>& others = is_read ? open_writes_ : open_reads_;
  for (std::size_t i = 0; i < others.size();) {
    if (others[i].end <= access.row) {
      others[i] = others.back();
      others.pop_back();
      continue;
    }
    if ((access.all && others[i].all) || footprint(access).overlaps(footprint(others[i]), owners_)) {
      edges_.push_back(is_read ? Dependency{access.group, others[i].group}
                               : Dependency{others[i].group, access.group});
    }
    ++i;
  }
  (is_read ? open_reads_ : open_writes_).push_back(access);
}

Footprint AccessSweep::footprint(const Access& access) const {
  if (access.all) return {Region{0, 0, access.row, access.end, 0, 1, 0}, nullptr, tensors_.front()};
  const TaskGroup& group = groups_[access.group];
  const TaskflowView::Rank& rank = taskflow_.ranks[group.rank];
  const Region& region = rank.regions[access.region];
  return {region, taskflow_.tiling(rank.tasks[group.first]), tensors_[region.tensor]};
}

}  // namespace a3sim
