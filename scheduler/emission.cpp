#include "scheduler/emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "scheduler/event_consumers.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

class Emitter {
 public:
  Emitter(const TaskflowView& taskflow, const Plans& plans, const std::string& where)
      : taskflow_(taskflow), where_(where), result_(plans.size()), queues_(plans.size() * kQueues) {
    for (std::uint32_t r = 0; r < plans.size(); ++r) {
      const TaskflowView::Rank& rank = taskflow.ranks[r];
      consumers_.emplace_back(rank.tasks, rank.events.size());
      counts_.emplace_back(rank.events.size());
      positions_.emplace_back(rank.tasks.size());
      for (std::uint32_t q = 0; q < kQueues; ++q) {
        Queue& queue = queues_[r * kQueues + q];
        queue.plan = &plans[r][q];
        queue.is_ready.resize(queue.plan->tasks.size());
        queue.emitted.resize(queue.plan->tasks.size());
        result_[r][q].reserve(queue.plan->tasks.size());
        for (std::uint32_t p = 0; p < queue.plan->tasks.size(); ++p) positions_[r][queue.plan->tasks[p]] = p;
        left_ += queue.plan->tasks.size();
      }
    }
  }

  std::vector<std::array<std::vector<std::uint32_t>, kQueues>> run() {
    for (std::uint32_t r = 0; r < consumers_.size(); ++r) {
      for (const std::uint32_t task : consumers_[r].free()) make_ready(r, task);
    }
    while (true) {
      while (!moving_.empty()) {
        const std::uint32_t q = moving_.back();
        moving_.pop_back();
        advance(q);
      }
      if (left_ == 0) return std::move(result_);
      depart();
    }
  }

 private:
  struct Queue {
    const QueuePlan* plan;
    std::uint32_t head = 0;  // first position that is not emitted
    std::vector<std::uint32_t>
        ready;                   // positions, a heap with the smallest on top; emitted ones may be among them
    std::vector<bool> is_ready;  // by position: or emitted
    std::vector<bool> emitted;   // by position

    bool can_go_on() const { return head < is_ready.size() && is_ready[head]; }
    // The smallest position that is ready, or kNone.
    std::uint32_t first_ready() {
      while (!ready.empty() && emitted[ready.front()]) {
        std::pop_heap(ready.begin(), ready.end(), std::greater<>());
        ready.pop_back();
      }
      return ready.empty() ? kNone : ready.front();
    }
  };

  void make_ready(std::uint32_t rank, std::uint32_t task) {
    const std::uint32_t q = rank * kQueues + taskflow_.ranks[rank].tasks[task].queue_type;
    Queue& queue = queues_[q];
    const std::uint32_t position = positions_[rank][task];
    queue.is_ready[position] = true;
    queue.ready.push_back(position);
    std::push_heap(queue.ready.begin(), queue.ready.end(), std::greater<>());
    if (position == queue.head) moving_.push_back(q);
  }

  void advance(std::uint32_t q) {
    Queue& queue = queues_[q];
    while (queue.can_go_on()) emit(q, queue.head);
  }

  void emit(std::uint32_t q, std::uint32_t position) {
    Queue& queue = queues_[q];
    const std::uint32_t rank = q / kQueues;
    queue.emitted[position] = true;
    while (queue.head < queue.emitted.size() && queue.emitted[queue.head]) ++queue.head;
    const std::uint32_t task = queue.plan->tasks[position];
    result_[rank][q % kQueues].push_back(task);
    --left_;
    const TaskDescriptor& td = taskflow_.ranks[rank].tasks[task];
    const EventDescriptor& event = taskflow_.ranks[td.trigger_rank].events[td.trigger_event];
    if (++counts_[td.trigger_rank][td.trigger_event] != event.threshold) return;
    for (const std::uint32_t consumer : consumers_[td.trigger_rank].of(td.trigger_event)) {
      make_ready(td.trigger_rank, consumer);
    }
  }

  void depart() {
    for (std::uint32_t q = 0; q < queues_.size(); ++q) {
      if (queues_[q].plan->fixed) continue;
      const std::uint32_t position = queues_[q].first_ready();
      if (position == kNone) continue;
      emit(q, position);
      return;
    }
    throw InputError(where_ + blocked());
  }

  const TaskDescriptor& head(const Queue& queue, std::uint32_t rank) const {
    return taskflow_.ranks[rank].tasks[queue.plan->tasks[queue.head]];
  }

  // Of the tasks that hold up a fixed queue, the one of the latest stage: it stands too early, the others
  // wait for what stands behind it.
  std::uint32_t most_blocked() const {
    std::uint32_t most = kNone;
    for (std::uint32_t q = 0; q < queues_.size(); ++q) {
      if (!queues_[q].plan->fixed || queues_[q].head == queues_[q].plan->tasks.size()) continue;
      if (most == kNone || head(queues_[q], q / kQueues).stage > head(queues_[most], most / kQueues).stage)
        most = q;
    }
    return most;
  }

  std::string blocked() const {
    const std::uint32_t q = most_blocked();
    if (q == kNone) return "the tasks wait for one another";
    const std::uint32_t rank = q / kQueues, task = queues_[q].plan->tasks[queues_[q].head];
    const std::uint32_t event = taskflow_.ranks[rank].tasks[task].dependent_event;
    return fmt::format(
        "{} at place {} of the {} of rank {} can never run: it waits for event {} ({} of {}), {}",
        taskflow_.task_name(rank, task), queues_[q].head, name_of(static_cast<QueueType>(q % kQueues)), rank,
        event, counts_[rank][event], taskflow_.ranks[rank].events[event].threshold,
        missing_producer(rank, event));
  }

  std::string missing_producer(std::uint32_t rank, std::uint32_t event) const {
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
      for (std::uint32_t t = 0; t < tasks.size(); ++t) {
        const Queue& queue = queues_[r * kQueues + tasks[t].queue_type];
        if (tasks[t].trigger_rank != rank || tasks[t].trigger_event != event ||
            queue.emitted[positions_[r][t]])
          continue;
        return fmt::format("which {} on rank {} must trigger", taskflow_.task_name(r, t), r);
      }
    }
    return "which nothing else triggers";
  }

  const TaskflowView& taskflow_;
  const std::string& where_;
  std::vector<std::array<std::vector<std::uint32_t>, kQueues>> result_;
  std::vector<Queue> queues_;  // by rank, then queue
  std::vector<EventConsumers> consumers_;
  std::vector<std::vector<std::uint32_t>> counts_;     // by rank and event
  std::vector<std::vector<std::uint32_t>> positions_;  // by rank and task, in its plan
  std::vector<std::uint32_t> moving_;                  // queues that can go on
  std::size_t left_ = 0;
};

}  // namespace

std::vector<std::array<std::vector<std::uint32_t>, kQueues>> emit(const TaskflowView& taskflow,
                                                                  const Plans& plans,
                                                                  const std::string& where) {
  return Emitter(taskflow, plans, where).run();
}

}  // namespace a3sim
