#include "scheduler/verify/queue_order.h"

#include "scheduler/ssc/worker_queues.h"

namespace a3sim {

QueueOrder::QueueOrder(const Schedule& schedule) : taskflow_(schedule) {
  for (const Ssc& ssc : schedule) {
    first_task_.push_back(first_task_.back() + ssc.tasks().size());
    first_event_.push_back(first_event_.back() + ssc.events().size());
  }
  before_.assign(first_task_.back(), kNone);
  producers_.resize(first_event_.back());
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    const Ssc& ssc = schedule[r];
    for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      producers_[event_number(td.trigger_rank, td.trigger_event)].push_back({r, t});
    }
    if (ssc.assignment() != Assignment::kCyclic) continue;
    WorkerQueues queues(ssc);
    for (std::uint32_t w = 0; w < queues.workers(); ++w) {
      for (std::uint32_t last = kNone, task = queues.take(w); task != kNone; task = queues.take(w)) {
        before_[number({r, task})] = last;
        last = task;
      }
    }
  }
}

bool QueueOrder::orders(std::uint32_t writer_rank, std::uint32_t writer, std::uint32_t reader_rank,
                        std::uint32_t reader) {
  const Task from{reader_rank, reader};
  if (number(from) != searched_) search(from);
  return seen_[number({writer_rank, writer})];
}

void QueueOrder::search(Task from) {
  searched_ = number(from);
  seen_.assign(before_.size(), false);
  std::vector<bool> events_seen(producers_.size(), false);
  std::vector<Task> stack = {from};
  const auto meet = [&](Task task) {
    if (seen_[number(task)]) return;
    seen_[number(task)] = true;
    stack.push_back(task);
  };
  while (!stack.empty()) {
    const Task task = stack.back();
    stack.pop_back();
    if (before_[number(task)] != kNone) meet({task.rank, before_[number(task)]});
    const std::uint32_t event = taskflow_.ranks[task.rank].tasks[task.task].dependent_event;
    if (event == kNone || events_seen[event_number(task.rank, event)]) continue;
    events_seen[event_number(task.rank, event)] = true;
    for (const Task& producer : producers_[event_number(task.rank, event)]) meet(producer);
  }
}

}  // namespace a3sim
