#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <tuple>

#include "models/taskflow/block_grid.h"
#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/verify/parts.h"
#include "sim/core/bucket_sort.h"

namespace a3sim {
namespace {

// One output of one task. Without blocks it is share 0 of 1.
struct Write {
  Rows rows;
  std::uint32_t tiling, share, shares;
  std::uint32_t rank, task;

  auto tile() const { return std::tuple(rows.begin, rows.end, tiling, shares); }
  bool before(const Write& other) const {
    if (rows.begin != other.rows.begin) return rows.begin < other.rows.begin;
    return std::tie(rows.end, tiling, shares, share, rank, task) <
           std::tie(other.rows.end, other.tiling, other.shares, other.share, other.rank, other.task);
  }
};

// Checks that the writes to one tensor in one rank's memory cover every byte once.
// | Tasks that share the blocks of the same rows are a tile. Shares of one tile have no block in common and
// together have all, under any counts. Tiles of other rows have no byte in common, because packing keeps the
// order of rows. So a tensor is written once and in full if its tiles have all their shares, each once, and
// their rows follow one another.
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
        [](const Write& a, const Write& b) { return a.before(b); });
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

class WritesCheck final : public Check {
 public:
  explicit WritesCheck(const CheckedGroup& group)
      : taskflow_(group.taskflow), places_(taskflow_.ranks.front().tensors.size() * ranks()) {}

  void visit(std::uint32_t r) override {
    const TaskflowView::Rank& rank = taskflow_.ranks[r];
    for (std::uint32_t t = 0; t < rank.tasks.size(); ++t) {
      const TaskDescriptor& td = rank.tasks[t];
      for (const Region& out : rank.outputs(td)) {
        if (out.rows().empty()) continue;
        std::vector<Write>& writes = place(out);
        if (writes.empty()) writes.reserve(td.task_split_num);  // mostly as many as its operator has tasks
        const bool cut = out.shares > 1 && taskflow_.tiling(td);
        writes.push_back({out.rows(), cut ? td.tiling_data_position : kNone, cut ? out.share : 0U,
                          cut ? out.shares : 1U, r, t});
      }
    }
  }

  void finish() override {
    std::uint64_t written = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto tensor = static_cast<std::uint32_t>(i / ranks()),
                 memory = static_cast<std::uint32_t>(i % ranks());
      const TensorInfo& info = taskflow_.ranks[memory].tensors[tensor];
      std::vector<Write> writes = std::move(places_[i]);
      if (info.external) {
        if (writes.empty()) continue;
        const Write& write = writes.front();
        findings_.errors.push_back(
            fmt::format("{} on rank {} writes {} on rank {}, which is given from outside",
                        taskflow_.task_name(write.rank, write.task), write.rank, info.name, memory));
      } else if (info.rows > 0) {
        ++written;
        TensorWrites(taskflow_, tensor, memory, findings_).check(std::move(writes), sort_);
      }
    }
    if (!findings_.errors.empty()) return;
    findings_.notes.push_back(fmt::format("{} tensors are written in full, every byte by one task", written));
  }

 private:
  std::size_t ranks() const { return taskflow_.ranks.size(); }
  std::vector<Write>& place(const Region& region) { return places_[region.tensor * ranks() + region.rank]; }

  const TaskflowView& taskflow_;
  std::vector<std::vector<Write>> places_;  // who writes a tensor in a rank's memory: by tensor, then rank
  BucketSort<Write> sort_;
};

}  // namespace

std::unique_ptr<Check> writes_check(const CheckedGroup& group) {
  return std::make_unique<WritesCheck>(group);
}

}  // namespace a3sim
