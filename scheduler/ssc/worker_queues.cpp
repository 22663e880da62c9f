#include "scheduler/ssc/worker_queues.h"

#include <span>

#include "sim/core/ids.h"

namespace a3sim {

WorkerQueues::WorkerQueues(const Ssc& ssc)
    : WorkerQueues(ssc, std::vector<bool>(ssc.operators().size(), true)) {}

WorkerQueues::WorkerQueues(const Ssc& ssc, const std::vector<bool>& operators)
    : assignment_(ssc.assignment()) {
  for (std::uint32_t q = 0; q < ssc.queues(); ++q)
    worker_queue_.insert(worker_queue_.end(), ssc.workers(q), q);
  if (assignment_ == Assignment::kCyclic) {
    deal_cyclic(ssc, operators);
  } else {
    split_by_set(ssc, operators);
  }
}

void WorkerQueues::deal_cyclic(const Ssc& ssc, const std::vector<bool>& operators) {
  const std::span<const TaskDescriptor> tasks = ssc.tasks();
  const std::span<const WorkerSet> sets = ssc.worker_sets();
  std::vector<std::uint32_t> dealt(sets.size(), 0);
  std::vector<std::uint32_t> worker_of(tasks.size(), kNone);
  std::vector<std::uint32_t> length(workers(), 0);
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    const std::uint32_t first_worker = ssc.kinds().first_worker(q);
    for (const std::uint32_t task : ssc.queue(q)) {
      if (!operators[tasks[task].op]) continue;
      const std::uint32_t set_index = tasks[task].worker_set;
      const WorkerSet& set = sets[set_index];
      worker_of[task] = first_worker + set.first + dealt[set_index];
      if (++dealt[set_index] == set.count) dealt[set_index] = 0;
      ++length[worker_of[task]];
    }
  }
  next_.resize(workers());
  std::uint32_t begin = 0;
  for (std::uint32_t w = 0; w < workers(); ++w) {
    next_[w] = begin;
    begin += length[w];
  }
  end_ = next_;
  tasks_.resize(begin);
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    for (const std::uint32_t task : ssc.queue(q)) {
      if (worker_of[task] != kNone) tasks_[end_[worker_of[task]]++] = task;
    }
  }
}

void WorkerQueues::split_by_set(const Ssc& ssc, const std::vector<bool>& operators) {
  sets_.resize(workers());
  for (std::uint32_t s = 0; s < ssc.worker_sets().size(); ++s) {
    const WorkerSet& set = ssc.worker_sets()[s];
    const std::uint32_t first = set.first + ssc.kinds().first_worker(set.queue_type);
    for (std::uint32_t w = first; w < first + set.count; ++w) sets_[w].push_back(s);
    next_.push_back(static_cast<std::uint32_t>(tasks_.size()));
    const std::span<const std::uint32_t> entries = ssc.queue(set.queue_type);
    for (std::uint32_t p = 0; p < entries.size(); ++p) {
      const TaskDescriptor& td = ssc.tasks()[entries[p]];
      if (td.worker_set != s || !operators[td.op]) continue;
      tasks_.push_back(entries[p]);
      position_.push_back(p);
    }
    end_.push_back(static_cast<std::uint32_t>(tasks_.size()));
  }
}

std::uint32_t WorkerQueues::take(std::uint32_t worker) {
  if (assignment_ == Assignment::kShared) return take_shared(worker);
  return next_[worker] == end_[worker] ? kNone : tasks_[next_[worker]++];
}

std::uint32_t WorkerQueues::take_shared(std::uint32_t worker) {
  std::uint32_t best = kNone;
  for (const std::uint32_t s : sets_[worker]) {
    if (next_[s] == end_[s]) continue;
    if (best == kNone || position_[next_[s]] < position_[next_[best]]) best = s;
  }
  return best == kNone ? kNone : tasks_[next_[best]++];
}

}  // namespace a3sim
