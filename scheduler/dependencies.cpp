#include "scheduler/dependencies.h"

#include <algorithm>
#include <tuple>

#include "scheduler/bucket_sort.h"
#include "scheduler/footprint.h"

namespace a3sim {
namespace {

// A region as one side of the sweep.
struct Access {
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
    reads.resize(tensors * taskflow.ranks.size());
    writes.resize(reads.size());
    std::size_t tasks = 0;
    for (const TaskflowView::Rank& rank : taskflow.ranks) tasks += rank.tasks.size();
    groups.reserve(tasks);  // what is not used takes no memory
    for (std::uint32_t rank = 0; rank < taskflow.ranks.size(); ++rank) collect(rank);
  }

  std::vector<TaskGroup> groups;
  std::vector<std::vector<Access>> reads, writes;  // by place: a tensor in a rank's memory

 private:
  bool counts(const Region& region) const { return internal_[region.tensor] && !(region.flags & kMetadata); }

  std::size_t place(const Region& region) const {
    return region.tensor * taskflow_.ranks.size() + region.rank;
  }

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
           std::vector<std::vector<Access>>& places) {
    const Tiling* tiling = taskflow_.tiling(td);
    for (const Region& region : regions) {
      if (!counts(region)) continue;
      const bool all = region.shares <= 1 || tiling == nullptr;
      if (all ? region.rows().empty() : footprint(rank, region, tiling).empty()) continue;
      std::vector<Access>& accesses = places[place(region)];
      // A rank's tasks meet a place about as often as all ranks' do: all from their rank, or one each from all.
      if (accesses.empty()) accesses.reserve(td.task_split_num / (all ? 1 : region.shares));
      accesses.push_back({region.row_begin, region.row_end, static_cast<std::uint32_t>(groups.size() - 1),
                          static_cast<std::uint32_t>(&region - rank.regions.data()) & 0x7fffffffU, all});
    }
  }

  const TaskflowView& taskflow_;
  std::vector<bool> internal_;  // tensors that one operator writes and another reads
};

// Finds the pairs that overlap: reads and writes of a place are walked by their first row; those that are
// open at a time stand in a list each.
class Sweep {
 public:
  Sweep(const TaskflowView& taskflow, std::span<const TaskGroup> groups)
      : taskflow_(taskflow), groups_(groups), tensors_(taskflow.ranks.front().tensors) {}

  std::vector<Dependency> run(Collector& collector) {
    edges_.reserve(groups_.size());
    for (std::size_t place = 0; place < collector.reads.size(); ++place) {
      std::vector<Access> reads = std::move(collector.reads[place]),
                          writes = std::move(collector.writes[place]);
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
    return std::move(edges_);
  }

 private:
  void sort(std::vector<Access>& accesses) {
    std::uint32_t last = 0;
    for (const Access& access : accesses) last = std::max(last, access.row);
    sort_.sort(
        std::span(accesses), std::uint64_t{last} + 1, [](const Access& access) { return access.row; },
        [](const Access& a, const Access& b) { return a.row != b.row ? a.row < b.row : a.group < b.group; });
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
  BucketSort<Access> sort_;
  std::vector<Dependency> edges_;
};

}  // namespace

Dependencies Dependencies::of(const TaskflowView& taskflow) {
  Dependencies result;
  std::vector<Dependency> edges;
  {
    Collector collector(taskflow);
    result.groups_ = std::move(collector.groups);
    edges = Sweep(taskflow, result.groups_).run(collector);
  }
  result.set_edges(std::move(edges));
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
  offsets_.assign(groups_.size() + 1, 0);
  for (const Dependency& edge : edges) ++offsets_[edge.consumer + 1];
  for (std::size_t g = 0; g < groups_.size(); ++g) offsets_[g + 1] += offsets_[g];
  edges_.resize(edges.size());
  for (const Dependency& edge : edges)
    edges_[offsets_[edge.consumer]++] = edge;  // up to the next one's first
  std::uint32_t begin = 0, kept = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::span<Dependency> of = std::span(edges_).subspan(begin, offsets_[g] - begin);
    begin = offsets_[g];
    offsets_[g] = kept;
    if (!std::is_sorted(of.begin(), of.end())) std::sort(of.begin(), of.end());
    for (const Dependency& edge : of) {
      if (kept == offsets_[g] || edges_[kept - 1] != edge) edges_[kept++] = edge;
    }
  }
  offsets_.back() = kept;
  edges_.resize(kept);
}

}  // namespace a3sim
