#include "scheduler/dependencies.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "scheduler/footprint.h"

namespace a3sim {
namespace {

// A region as one side of the sweep.
struct Access {
  std::uint32_t place;     // tensor and memory
  std::uint32_t row, end;  // its rows
  std::uint32_t group;
  std::uint32_t region : 31;  // in the tables of the group's rank
  std::uint32_t all : 1;      // all bytes of its rows
};

// Collects the groups of a taskflow and what they read and write of tensors that run between operators.
class Collector {
 public:
  explicit Collector(const TaskflowView& taskflow) : taskflow_(taskflow) {
    const std::size_t tensors = taskflow.ranks.front().tensors.size();
    std::vector<bool> written(tensors), read(tensors);
    for (const OperatorInfo& op : taskflow.operators) {
      for (const TensorId t : op.outputs) written[index(t)] = true;
      for (const TensorId t : op.inputs) read[index(t)] = true;
    }
    for (std::size_t t = 0; t < tensors; ++t) internal_.push_back(written[t] && read[t]);
    for (std::uint32_t rank = 0; rank < taskflow.ranks.size(); ++rank) collect(rank);
  }

  std::vector<TaskGroup> groups;
  std::vector<Access> reads, writes;

 private:
  bool counts(const Region& region) const { return internal_[region.tensor] && !(region.flags & kMetadata); }

  Footprint footprint(const TaskflowView::Rank& rank, const Region& region, const Tiling* tiling) const {
    return {region, tiling, rank.tensors[region.tensor]};
  }

  // Whether nobody can tell the two regions apart.
  bool alike(const TaskflowView::Rank& rank, const Region& a, const Region& b, const Tiling* tiling) const {
    if (a.tensor != b.tensor || a.flags != b.flags) return false;
    if (!counts(a)) return true;
    if (a.rank != b.rank || a.rows() != b.rows() || a.shares != b.shares) return false;
    if (a.share == b.share) return true;
    const Footprint of_a = footprint(rank, a, tiling), of_b = footprint(rank, b, tiling);
    return of_a.empty() == of_b.empty() && (of_a.empty() || !of_a.exact());
  }

  bool alike(const TaskflowView::Rank& rank, const TaskDescriptor& a, const TaskDescriptor& b) const {
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

  void collect(std::uint32_t r) {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    for (std::uint32_t i = 0; i < rank.tasks.size(); ++i) {
      const TaskDescriptor& td = rank.tasks[i];
      if (i > 0 && alike(rank, rank.tasks[groups.back().first], td)) {
        ++groups.back().count;
        continue;
      }
      groups.push_back({r, td.op, i, 1});
      add(rank, td, rank.inputs(td), reads);
      add(rank, td, rank.outputs(td), writes);
    }
  }

  void add(const TaskflowView::Rank& rank, const TaskDescriptor& td, std::span<const Region> regions,
           std::vector<Access>& out) {
    const Tiling* tiling = taskflow_.tiling(td);
    for (const Region& region : regions) {
      if (!counts(region) || footprint(rank, region, tiling).empty()) continue;
      const auto place = static_cast<std::uint32_t>(region.tensor * taskflow_.ranks.size() + region.rank);
      out.push_back({place, region.row_begin, region.row_end, static_cast<std::uint32_t>(groups.size() - 1),
                     static_cast<std::uint32_t>(&region - rank.regions.data()) & 0x7fffffffU,
                     region.shares <= 1 || tiling == nullptr});
    }
  }

  const TaskflowView& taskflow_;
  std::vector<bool> internal_;  // tensors that one operator writes and another reads
};

// Sorts by what lies in [0, ends), then by the rest: few that are equal in it make for short sorts.
template <class T, class FirstOf>
std::vector<T> sorted_by(const std::vector<T>& values, std::size_t ends, FirstOf&& first_of, auto less) {
  std::vector<std::size_t> at(ends + 1);
  for (const T& value : values) ++at[first_of(value) + 1];
  for (std::size_t i = 0; i < ends; ++i) at[i + 1] += at[i];
  std::vector<T> result(values.size());
  for (const T& value : values) result[at[first_of(value)]++] = value;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends; begin = at[i++]) {
    const auto from = result.begin() + static_cast<std::ptrdiff_t>(begin),
               to = result.begin() + static_cast<std::ptrdiff_t>(at[i]);
    if (!std::is_sorted(from, to, less)) std::sort(from, to, less);
  }
  return result;
}

// Finds the pairs that overlap: reads and writes of a place are walked by their first row; those that are
// open at a time stand in a list each.
class Sweep {
 public:
  Sweep(const TaskflowView& taskflow, std::span<const TaskGroup> groups)
      : taskflow_(taskflow), groups_(groups), tensors_(taskflow.ranks.front().tensors) {}

  std::vector<Dependency> run(std::vector<Access> reads, std::vector<Access> writes) {
    reads = by_place(std::move(reads));
    writes = by_place(std::move(writes));
    std::size_t r = 0, w = 0;
    while (r < reads.size() && w < writes.size()) {
      const std::uint32_t place = std::min(reads[r].place, writes[w].place);
      open_reads_.clear();
      open_writes_.clear();
      while (true) {
        const bool has_read = r < reads.size() && reads[r].place == place;
        const bool has_write = w < writes.size() && writes[w].place == place;
        if (!has_read && !has_write) break;
        if (has_read && (!has_write || reads[r].row < writes[w].row)) {
          open(reads[r++], true);
        } else {
          open(writes[w++], false);
        }
      }
    }
    return std::move(edges_);
  }

 private:
  std::vector<Access> by_place(std::vector<Access> accesses) const {
    return sorted_by(
        accesses, tensors_.size() * taskflow_.ranks.size(), [](const Access& access) { return access.place; },
        [](const Access& a, const Access& b) { return std::tie(a.row, a.group) < std::tie(b.row, b.group); });
  }

  void open(const Access& access, bool is_read) {
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

  Footprint footprint(const Access& access) const {
    const TaskGroup& group = groups_[access.group];
    const TaskflowView::Rank& rank = taskflow_.ranks[group.rank];
    const Region& region = rank.regions[access.region];
    return {region, taskflow_.tiling(rank.tasks[group.first]), tensors_[region.tensor]};
  }

  const TaskflowView& taskflow_;
  std::span<const TaskGroup> groups_;
  std::span<const TensorInfo> tensors_;           // layouts and columns are the same on every rank
  std::vector<Access> open_reads_, open_writes_;  // those whose rows have begun
  BlockOwners owners_;
  std::vector<Dependency> edges_;
};

}  // namespace

Dependencies Dependencies::of(const TaskflowView& taskflow) {
  Dependencies result;
  Collector collector(taskflow);
  result.groups_ = std::move(collector.groups);
  result.set_edges(
      Sweep(taskflow, result.groups_).run(std::move(collector.reads), std::move(collector.writes)));
  return result;
}

std::uint64_t Dependencies::pairs() const {
  std::uint64_t sum = 0;
  for (const Dependency& edge : edges_) {
    sum += std::uint64_t{groups_[edge.consumer].count} * groups_[edge.producer].count;
  }
  return sum;
}

std::uint32_t Dependencies::add_group(std::uint32_t rank, std::uint32_t op, std::uint32_t task) {
  groups_.push_back({rank, op, task, 1});
  offsets_.push_back(offsets_.back());
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void Dependencies::set_edges(std::vector<Dependency> edges) {
  edges_ =
      sorted_by(edges, groups_.size(), [](const Dependency& edge) { return edge.consumer; }, std::less<>());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  offsets_.assign(groups_.size() + 1, 0);
  for (const Dependency& edge : edges_) ++offsets_[edge.consumer + 1];
  for (std::size_t g = 0; g < groups_.size(); ++g) offsets_[g + 1] += offsets_[g];
}

}  // namespace a3sim
