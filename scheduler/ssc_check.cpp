#include "scheduler/ssc_check.h"

#include <vector>

#include "models/taskflow/block_grid.h"
#include "scheduler/ssc_flaw.h"

namespace a3sim {
namespace {

class TaskCheck : public FlawFinder {
 public:
  using FlawFinder::FlawFinder;

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
    const MoeShape& s = ssc_.shape();
    if (!task_below(i, "queue", td.queue_type, ssc_.queues()) ||
        !task_below(i, "operator", td.op, ssc_.operators().size()) ||
        !task_below(i, "worker set", td.worker_set, ssc_.worker_sets().size())) {
      return false;
    }
    if (ssc_.worker_sets()[td.worker_set].queue_type != td.queue_type) {
      return fail(SscItem::kTask, i, "task {}: its worker set {} is of another queue", i, td.worker_set);
    }
    const std::uint64_t regions = std::uint64_t{td.first_region} + td.num_inputs + td.num_outputs;
    if (regions > ssc_.regions().size()) {
      return fail(SscItem::kTask, i, "task {}: regions up to {} of {}", i, regions, ssc_.regions().size());
    }
    if (td.tiling_data_position < ssc_.tilings().size() && !blocks(i, td)) return false;
    const bool remote = td.trigger_rank != index(ssc_.rank());
    return task_below_or(kNone, i, "dependent event", td.dependent_event, ssc_.events().size()) &&
           task_below(i, "trigger rank", td.trigger_rank, s.ep) &&
           task_below(i, "trigger event", td.trigger_event, remote ? kMaxRows : ssc_.events().size()) &&
           task_below_or(kNone, i, "tiling", td.tiling_data_position, ssc_.tilings().size()) &&
           task_below_or(kNoExpert, i, "expert", td.expert, s.experts_per_rank) &&
           task_below_or(kNone, i, "global expert", td.gexpert, s.experts()) &&
           task_below(i, "source rank", td.src, s.ep) && task_below(i, "destination rank", td.dst, s.ep);
  }

  // The base blocks that the task's products have at most.
  bool blocks(std::size_t i, const TaskDescriptor& td) {
    for (const Region& region : ssc_.outputs(td)) {
      const BlockGrid grid(region.rows().size(), ssc_.tensors()[region.tensor].cols,
                           ssc_.tilings()[td.tiling_data_position]);
      if (grid.full_count() > BlockGrid::kMost)
        return fail(SscItem::kTask, i, "task {}: {} base blocks, at most {}", i, grid.full_count(),
                    BlockGrid::kMost);
    }
    return true;
  }

  bool tasks() {
    for (std::size_t i = 0; i < ssc_.tasks().size(); ++i) {
      if (!task(i, ssc_.tasks()[i])) return false;
    }
    return true;
  }

  // The tasks of an operator are numbered from 0 to task_split_num - 1.
  bool task_indices() {
    std::vector<std::vector<bool>> seen(ssc_.operators().size());
    for (const TaskDescriptor& td : ssc_.tasks()) seen[td.op].push_back(false);
    for (std::size_t i = 0; i < ssc_.tasks().size(); ++i) {
      const TaskDescriptor& td = ssc_.tasks()[i];
      if (td.task_split_num != seen[td.op].size()) {
        return fail(SscItem::kTask, i, "task {}: one of {} by its descriptor, but its operator has {} tasks",
                    i, td.task_split_num, seen[td.op].size());
      }
      if (!task_below(i, "task index", td.task_index, td.task_split_num)) return false;
      if (seen[td.op][td.task_index]) {
        return fail(SscItem::kTask, i, "task {}: its operator has another task of index {}", i,
                    td.task_index);
      }
      seen[td.op][td.task_index] = true;
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
    std::vector<bool> queued(ssc_.tasks().size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t t = entries[i];
      if (t >= queued.size()) return fail_in(q, i, "task {} of {}", t, queued.size());
      if (ssc_.tasks()[t].queue_type != q) return fail_in(q, i, "task {} is of another queue", t);
      if (queued[t]) return fail_in(q, i, "task {} stands in it twice", t);
      queued[t] = true;
    }
    for (std::size_t t = 0; t < queued.size(); ++t) {
      if (queued[t] || ssc_.tasks()[t].queue_type != q) continue;
      return fail(SscItem::kTask, t, "task {} does not stand in the {}", t, ssc_.kinds()[q].queue());
    }
    return true;
  }
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
