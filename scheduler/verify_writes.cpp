#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/taskflow/block_grid.h"
#include "scheduler/bucket_sort.h"
#include "scheduler/taskflow_view.h"
#include "scheduler/verify_parts.h"

namespace a3sim {
namespace {

// One output of one task. Without blocks it is share 0 of 1.
struct Write {
  Rows rows;
  std::uint32_t tiling, share, shares;
  std::uint32_t rank, task;

  auto tile() const { return std::tuple(rows.begin, rows.end, tiling, shares); }
  auto place() const { return std::tuple(rows.begin, rows.end, tiling, shares, share, rank, task); }
};

// All writes to one tensor in one rank's memory: whether they are every byte of it, once.
//
// Tasks that share the blocks of the same rows are a tile. Shares of one tile have no block in common and
// together have all, under any counts. Tiles of other rows have no byte in common, as packing keeps the order
// of rows. So a tensor is written once and in full if its tiles have all their shares, each once, and their
// rows follow one another.
class TensorWrites {
 public:
  TensorWrites(const TaskflowView& taskflow, std::uint32_t tensor, std::uint32_t memory, Findings& findings)
      : taskflow_(taskflow),
        info_(taskflow.ranks[memory].tensors[tensor]),
        memory_(memory),
        findings_(findings) {}

  void check(std::vector<Write> writes, BucketSort<Write>& sort) {
    sort.sort(
        std::span(writes), info_.rows, [](const Write& write) { return write.rows.begin; },
        [](const Write& a, const Write& b) { return a.place() < b.place(); });
    std::uint32_t next = 0;
    const Write* last = nullptr;
    for (auto begin = writes.cbegin(); begin != writes.cend();) {
      const auto end = std::find_if(begin, writes.cend(),
                                    [&](const Write& write) { return write.tile() != begin->tile(); });
      if (begin->rows.begin > next) unwritten({next, begin->rows.begin});
      if (begin->rows.begin < next)
        twice(*last, *begin, {begin->rows.begin, std::min(next, begin->rows.end)});
      check_tile({begin, end});
      if (begin->rows.end > next) {
        next = begin->rows.end;
        last = &*begin;
      }
      begin = end;
    }
    if (next < info_.rows) unwritten({next, info_.rows});
  }

 private:
  void check_tile(std::span<const Write> shares) {
    const Write& first = shares.front();
    std::uint32_t with_blocks = 1;
    if (first.shares > 1) {
      const BlockGrid grid(first.rows.size(), info_.cols, taskflow_.tilings[first.tiling]);
      with_blocks = std::min(first.shares, grid.count());
    }
    std::uint32_t next = 0;
    const Write* last = nullptr;
    for (const Write& write : shares) {
      if (write.share >= with_blocks) break;
      if (write.share < next) twice(*last, write, write.rows);
      for (; next < write.share; ++next) unwritten(first, next);
      next = write.share + 1;
      last = &write;
    }
    for (; next < with_blocks; ++next) unwritten(first, next);
  }

  void error(const std::string& what, Rows rows, const char* verb) {
    findings_.errors.push_back(fmt::format("{} rows [{}, {}) of {} on rank {}", what + verb, rows.begin,
                                           rows.end, info_.name, memory_));
  }
  void unwritten(Rows rows) { error("no task", rows, " writes"); }
  void unwritten(const Write& tile, std::uint32_t share) {
    error(fmt::format("no task writes share {} of {} of", share, tile.shares), tile.rows, "");
  }
  void twice(const Write& a, const Write& b, Rows rows) {
    error(fmt::format("{} on rank {} and {} on rank {} both", taskflow_.task_name(a.rank, a.task), a.rank,
                      taskflow_.task_name(b.rank, b.task), b.rank),
          rows, " write");
  }

  const TaskflowView& taskflow_;
  const TensorInfo& info_;
  std::uint32_t memory_;
  Findings& findings_;
};

// Whose tensors, and who writes them.
struct Place {
  std::vector<Write> writes;
  std::size_t count = 0;  // of these, before they stand there
  bool read = false;
};

std::vector<Place> places_of(const TaskflowView& taskflow) {
  const std::size_t ranks = taskflow.ranks.size();
  std::vector<Place> places(taskflow.ranks.front().tensors.size() * ranks);
  for (const TaskflowView::Rank& rank : taskflow.ranks) {
    for (const TaskDescriptor& td : rank.tasks) {
      for (const Region& in : rank.inputs(td)) {
        if (!in.rows().empty()) places[in.tensor * ranks + in.rank].read = true;
      }
      for (const Region& out : rank.outputs(td)) ++places[out.tensor * ranks + out.rank].count;
    }
  }
  for (Place& place : places) place.writes.reserve(place.count);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const TaskflowView::Rank& rank = taskflow.ranks[r];
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      const TaskDescriptor& td = rank.tasks[t];
      for (const Region& out : rank.outputs(td)) {
        if (out.rows().empty()) continue;
        const bool cut = out.shares > 1 && taskflow.tiling(td);
        places[out.tensor * ranks + out.rank].writes.push_back(
            {out.rows(), cut ? td.tiling_data_position : kNone, cut ? out.share : 0U, cut ? out.shares : 1U,
             r, t});
      }
    }
  }
  return places;
}

}  // namespace

void check_writes(const Schedule& schedule, Findings& findings) {
  const TaskflowView taskflow(schedule);
  const std::size_t before = findings.errors.size(), ranks = taskflow.ranks.size();
  std::vector<Place> places = places_of(taskflow);
  BucketSort<Write> sort;
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto tensor = static_cast<std::uint32_t>(i / ranks), memory = static_cast<std::uint32_t>(i % ranks);
    const TensorInfo& info = taskflow.ranks[memory].tensors[tensor];
    if (info.external) {
      if (places[i].writes.empty()) continue;
      const Write& write = places[i].writes.front();
      findings.errors.push_back(fmt::format("{} on rank {} writes {} on rank {}, which is given from outside",
                                            taskflow.task_name(write.rank, write.task), write.rank, info.name,
                                            memory));
    } else if (places[i].read || !places[i].writes.empty()) {
      ++written;
      TensorWrites(taskflow, tensor, memory, findings).check(std::move(places[i].writes), sort);
    }
  }
  if (findings.errors.size() > before) return;
  findings.notes.push_back(fmt::format("{} tensors are written in full, every byte by one task", written));
}

}  // namespace a3sim
