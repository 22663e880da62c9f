#include "scheduler/ssc/ssc_check.h"

#include <vector>

#include "models/taskflow/block_grid.h"
#include "scheduler/ssc/ssc_flaw.h"

namespace a3sim {
namespace {

class TaskCheck : public FlawFinder {
 public:
  explicit TaskCheck(const Ssc& ssc)
      : FlawFinder(ssc),
        shape_(ssc.shape()),
        rank_(index(ssc.rank())),
        queues_(ssc.queues()),
        operators_(ssc.operators().size()),
        events_(ssc.events().size()),
        tilings_(ssc.tilings().size()),
        sets_(ssc.worker_sets()),
        count_(operators_) {}

  bool run() { return tasks() && task_indices() && queues(); }

 private:
  bool task_below(std::size_t i, const char* what, std::uint64_t value, std::uint64_t limit) {
    return below(SscItem::kTask, i, what, value, limit);
  }
  bool task_below_or(std::uint32_t none, std::size_t i, const char* what, std::uint64_t value,
                     std::uint64_t limit) {
    return value == none || task_below(i, what, value, limit);
  }

  bool task(std::size_t i, const TaskDescriptor& td) {
    if (!task_below(i, "queue", td.queue_type, queues_) || !task_below(i, "operator", td.op, operators_) ||
        !task_below(i, "worker set", td.worker_set, sets_.size())) {
      return false;
    }
    if (sets_[td.worker_set].queue_type != td.queue_type) {
      return fail(SscItem::kTask, i, "task {}: its worker set {} is of another queue", i, td.worker_set);
    }
    const std::uint64_t regions = std::uint64_t{td.first_region} + td.num_inputs + td.num_outputs;
    if (regions > regions_.size()) {
      return fail(SscItem::kTask, i, "task {}: regions up to {} of {}", i, regions, regions_.size());
    }
    ++count_[td.op];
    if (td.tiling_data_position < tilings_ && !blocks(i, td)) return false;
    const bool remote = td.trigger_rank != rank_;
    return task_below_or(kNone, i, "dependent event", td.dependent_event, events_) &&
           task_below(i, "trigger rank", td.trigger_rank, shape_.ep) &&
           task_below(i, "trigger event", td.trigger_event, remote ? kMaxRows : events_) &&
           task_below_or(kNone, i, "tiling", td.tiling_data_position, tilings_) &&
           task_below_or(kNoExpert, i, "expert", td.expert, shape_.experts_per_rank) &&
           task_below_or(kNone, i, "global expert", td.gexpert, shape_.experts()) &&
           task_below(i, "source rank", td.src, shape_.ep) &&
           task_below(i, "destination rank", td.dst, shape_.ep);
  }

  // Returns the largest number of base blocks of the task's products.
  bool blocks(std::size_t i, const TaskDescriptor& td) {
    for (const Region& region : ssc_.outputs(td)) {
      const BlockGrid grid(region.rows().size(), tensors_[region.tensor].cols,
                           ssc_.tilings()[td.tiling_data_position]);
      if (grid.full_count() > BlockGrid::kMost)
        return fail(SscItem::kTask, i, "task {}: {} base blocks, at most {}", i, grid.full_count(),
                    BlockGrid::kMost);
    }
    return true;
  }

  bool tasks() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (!task(i, tasks_[i])) return false;
    }
    return true;
  }

  // Checks that the tasks of an operator are numbered from 0 to task_split_num - 1.
  bool task_indices() {
    // One entry per operator: index of its first task in `seen`.
    std::vector<std::uint32_t> first(operators_);
    for (std::size_t op = 1; op < operators_; ++op) first[op] = first[op - 1] + count_[op - 1];
    std::vector<bool> seen(tasks_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const TaskDescriptor& td = tasks_[i];
      if (td.task_split_num != count_[td.op]) {
        return fail(SscItem::kTask, i, "task {}: one of {} by its descriptor, but its operator has {} tasks",
                    i, td.task_split_num, count_[td.op]);
      }
      if (!task_below(i, "task index", td.task_index, td.task_split_num)) return false;
      auto met = seen[first[td.op] + td.task_index];
      if (met) {
        return fail(SscItem::kTask, i, "task {}: its operator has another task of index {}", i,
                    td.task_index);
      }
      met = true;
    }
    return true;
  }

  bool queues() {
    for (std::uint32_t q = 0; q < ssc_.queues(); ++q) {
      if (!queue(q)) return false;
    }
    return true;
  }

  template <class... Args>
  bool fail_in(std::uint32_t queue, std::size_t i, fmt::format_string<Args...> format, Args&&... args) {
    flaw_ = SscFlaw{SscItem::kQueue, i,
                    fmt::format("{} entry {}: {}", ssc_.kinds()[queue].queue(), i,
                                fmt::format(format, std::forward<Args>(args)...)),
                    queue};
    return false;
  }

  bool queue(std::uint32_t q) {
    const auto entries = ssc_.queue(q);
    std::vector<bool> queued(tasks_.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t t = entries[i];
      if (t >= queued.size()) return fail_in(q, i, "task {} of {}", t, queued.size());
      if (tasks_[t].queue_type != q) return fail_in(q, i, "task {} is of another queue", t);
      if (queued[t]) return fail_in(q, i, "task {} stands in it twice", t);
      queued[t] = true;
    }
    for (std::size_t t = 0; t < queued.size(); ++t) {
      if (queued[t] || tasks_[t].queue_type != q) continue;
      return fail(SscItem::kTask, t, "task {} does not stand in the {}", t, ssc_.kinds()[q].queue());
    }
    return true;
  }

  const MoeShape& shape_;
  std::uint32_t rank_, queues_;
  std::size_t operators_, events_, tilings_;
  std::span<const WorkerSet> sets_;
  std::vector<std::uint32_t> count_;  // one entry per operator: number of tasks
};

}  // namespace

std::optional<SscFlaw> find_task_flaw(const Ssc& ssc) {
  TaskCheck check(ssc);
  check.run();
  return std::move(check).flaw();
}

std::optional<SscFlaw> find_flaw(const Ssc& ssc) {
  if (auto flaw = find_table_flaw(ssc)) return flaw;
  return find_task_flaw(ssc);
}

}  // namespace a3sim
