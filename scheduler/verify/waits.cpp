#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/verify/accesses.h"
#include "scheduler/verify/parts.h"
#include "scheduler/verify/queue_order.h"
#include "sim/core/bucket_sort.h"

namespace a3sim {
namespace {

// Finds which events must have fired before an event fires: those that its producers waited for, and so on.
class WaitSearch {
 public:
  explicit WaitSearch(const EventNumbers& events)
      : events_(events), behind_(events.count()), seen_(events.count(), 0) {}

  // Adds the tasks of the next rank.
  void add(std::uint32_t r, std::span<const TaskDescriptor> tasks) {
    for (const TaskDescriptor& td : tasks) {
      if (td.dependent_event == kNone) continue;
      std::vector<std::uint32_t>& behind = behind_[events_.triggered(td)];
      const std::uint32_t waited = events_.waited(r, td);
      // Equal ones are mostly neighbours.
      if (behind.empty() || behind.back() != waited) behind.push_back(waited);
    }
  }
  // Prepares for searches. Call it after all ranks have been added.
  void sort() {
    for (std::vector<std::uint32_t>& events_behind : behind_) {
      std::ranges::sort(events_behind);
      const auto rest = std::ranges::unique(events_behind);
      events_behind.erase(rest.begin(), rest.end());
    }
  }

  // Returns whether a task that waits for `event` has also waited for `earlier`.
  bool implies(std::uint32_t event, std::uint32_t earlier) {
    if (event == kNone) return false;
    if (event == earlier) return true;
    if (event != searched_) search(event);
    return seen_[earlier] == searches_;
  }

 private:
  void search(std::uint32_t start) {
    searched_ = start;
    ++searches_;  // an event may be searched again after other searches have marked the same events
    std::vector<std::uint32_t> stack = {start};
    while (!stack.empty()) {
      const std::uint32_t event = stack.back();
      stack.pop_back();
      for (const std::uint32_t next : behind_[event]) {
        if (seen_[next] == searches_) continue;
        seen_[next] = searches_;
        stack.push_back(next);
      }
    }
  }

  const EventNumbers& events_;
  std::vector<std::vector<std::uint32_t>> behind_;  // one list per event: what its producers wait for
  std::vector<std::uint32_t> seen_;  // one entry per event: the last search that reached it, counted from 1
  std::uint32_t searched_ = kNone, searches_ = 0;
};

// Tasks of one operator that touch the same bytes and wait for, or trigger, the same event. One answer holds
// for all of them.
struct AlikeAccesses {
  std::uint32_t event;
  std::uint16_t op;
  TouchedBytes bytes;
  std::span<const Access> accesses;  // not empty
};

// Sorts so that similar accesses become neighbours.
bool sorts_before(const Access& a, const Access& b) {
  if (a.rows.begin != b.rows.begin) return a.rows.begin < b.rows.begin;
  return std::tuple(a.rows.end, a.event, a.op, a.rank, a.task, a.region) <
         std::tuple(b.rows.end, b.event, b.op, b.rank, b.task, b.region);
}

// The accesses of one kind to a tensor.
class SortedAccesses {
 public:
  explicit SortedAccesses(const TaskflowView& taskflow) : taskflow_(taskflow) {}

  // Sorts them, and leaves out what a task touches twice.
  void sort(std::span<Access> accesses, const TensorInfo& tensor) {
    sort_.sort(accesses, tensor.rows, [](const Access& access) { return access.rows.begin; }, sorts_before);
    groups_.clear();
    Access* last = accesses.data();
    for (const Access& access : accesses) last = add(access, last, tensor);
  }

  // Returns the groups, sorted by their first row.
  const std::vector<AlikeAccesses>& groups() const { return groups_; }

 private:
  // Moves the access to `end`, after the earlier ones, unless it equals one of them. Returns the new end.
  Access* add(const Access& access, Access* end, const TensorInfo& tensor) {
    TouchedBytes bytes = bytes_of(taskflow_, access, tensor);
    const bool same = !groups_.empty() && groups_.back().event == access.event &&
                      groups_.back().op == access.op && bytes.whole() && groups_.back().bytes.whole() &&
                      groups_.back().bytes.rows() == bytes.rows();
    if (same && end[-1].rank == access.rank && end[-1].task == access.task) return end;
    *end = access;
    if (!same) groups_.push_back({access.event, access.op, std::move(bytes), {end, 0}});
    AlikeAccesses& group = groups_.back();
    group.accesses = {group.accesses.data(), group.accesses.size() + 1};
    return end + 1;
  }

  const TaskflowView& taskflow_;
  BucketSort<Access> sort_;
  std::vector<AlikeAccesses> groups_;
};

// Calls `visit(read, write)` for all pairs that have bytes in common, read by read.
template <class Visit>
void each_overlap(const std::vector<AlikeAccesses>& reads, const std::vector<AlikeAccesses>& writes,
                  Visit&& visit) {
  std::vector<std::uint32_t> ends;  // the last row that this write or any before it touches
  for (const AlikeAccesses& write : writes)
    ends.push_back(std::max(ends.empty() ? 0 : ends.back(), write.bytes.rows().end));
  for (const AlikeAccesses& read : reads) {
    const Rows rows = read.bytes.rows();
    auto write = writes.begin() + (std::ranges::upper_bound(ends, rows.begin) - ends.begin());
    for (; write != writes.end() && write->bytes.rows().begin < rows.end; ++write) {
      if (read.bytes.meets(write->bytes)) visit(read, *write);
    }
  }
}

// The sequence of operators under execution kernel by kernel: by stage, then by number.
class KernelSequence {
 public:
  explicit KernelSequence(const TaskflowView& taskflow) : taskflow_(taskflow) {}
  bool before(std::uint16_t a, std::uint16_t b) const { return place(a) < place(b); }

 private:
  std::pair<std::uint32_t, std::uint16_t> place(std::uint16_t op) const {
    return {taskflow_.operators[op].stage, op};
  }
  const TaskflowView& taskflow_;
};

// Reports pairs of accesses that nothing orders, one sentence each.
class Races {
 public:
  Races(const Schedule& schedule, const TaskflowView& taskflow, Findings& findings)
      : schedule_(schedule), taskflow_(taskflow), findings_(findings) {}

  void no_wait(const Access& read, const Access& write) {
    findings_.errors.push_back(
        fmt::format("{}, and does not wait for it{}", reads(read, write), why(read, write)));
  }
  void too_early(const Access& read, const Access& write) {
    findings_.errors.push_back(fmt::format("{}, and comes before it kernel by kernel", reads(read, write)));
  }

 private:
  // Limits the explanations, because each walks over all tasks.
  static constexpr int kExplained = 100;

  std::string reads(const Access& read, const Access& write) const {
    return fmt::format("{} on rank {} reads what {} on rank {} writes",
                       taskflow_.task_name(read.rank, read.task), read.rank,
                       taskflow_.task_name(write.rank, write.task), write.rank);
  }

  const char* why(const Access& read, const Access& write) {
    if (explained_++ >= kExplained) return "";
    if (!queues_) queues_.emplace(schedule_);
    if (!queues_->orders(write.rank, write.task, read.rank, read.task)) return "";
    return " (workers' queues put it later, which holds for static execution alone)";
  }

  const Schedule& schedule_;
  const TaskflowView& taskflow_;
  Findings& findings_;
  std::optional<QueueOrder> queues_;
  int explained_ = 0;
};

template <class Wrong>
void each_pair(const AlikeAccesses& read, const AlikeAccesses& write, Wrong&& wrong) {
  for (const Access& reader : read.accesses) {
    for (const Access& writer : write.accesses) wrong(reader, writer);
  }
}

class WaitsCheck final : public Check {
 public:
  explicit WaitsCheck(const CheckedGroup& group)
      : group_(group), events_(group.taskflow), search_(events_), accesses_(group.taskflow, events_) {}

  void visit(std::uint32_t rank) override {
    search_.add(rank, group_.taskflow.ranks[rank].tasks);
    accesses_.add(rank);
  }

  void finish() override {
    const TaskflowView& taskflow = group_.taskflow;
    const KernelSequence kernels(taskflow);
    Races races(group_.schedule, taskflow, findings_);
    SortedAccesses reads(taskflow), writes(taskflow);
    std::uint64_t pairs = 0;
    search_.sort();
    accesses_.each([&](const TensorAccesses& accesses) {
      reads.sort(accesses.reads, accesses.tensor);
      writes.sort(accesses.writes, accesses.tensor);
      each_overlap(reads.groups(), writes.groups(),
                   [&](const AlikeAccesses& read, const AlikeAccesses& write) {
                     pairs += read.accesses.size() * write.accesses.size();
                     if (!search_.implies(read.event, write.event)) {
                       each_pair(read, write, [&](const Access& r, const Access& w) { races.no_wait(r, w); });
                     } else if (!kernels.before(write.op, read.op) && !holds(read)) {
                       races.too_early(read.accesses.front(), write.accesses.front());
                     }
                   });
    });
    if (!findings_.errors.empty()) return;
    findings_.notes.push_back(fmt::format("{} pairs of a reader and a writer are ordered by events", pairs));
  }

 private:
  // Returns whether the reads are all holds. A hold may lead back to its operator, and kernels need none.
  bool holds(const AlikeAccesses& read) const {
    return std::ranges::all_of(read.accesses, [&](const Access& access) {
      const TaskflowView::Rank& rank = group_.taskflow.ranks[access.rank];
      return rank.regions[rank.tasks[access.task].first_region + access.region].flags & kHold;
    });
  }

  const CheckedGroup& group_;
  EventNumbers events_;
  WaitSearch search_;
  AccessTables accesses_;
};

}  // namespace

std::unique_ptr<Check> waits_check(const CheckedGroup& group) { return std::make_unique<WaitsCheck>(group); }

}  // namespace a3sim
