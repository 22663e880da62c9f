#include <fmt/format.h>

#include <utility>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/ssc/worker_queues.h"
#include "scheduler/verify/verify.h"

namespace a3sim {
namespace {

// Runs workers that take, wait, run and trigger without time: everything that can happen happens.
class UntimedRun {
 public:
  explicit UntimedRun(const Schedule& schedule) : schedule_(schedule), taskflow_(schedule) {
    ranks_.reserve(schedule.size());
    for (const Ssc& ssc : schedule) {
      WorkerQueues queues(ssc);
      const std::uint32_t workers = queues.workers();
      Rank& rank = ranks_.emplace_back(Rank{std::move(queues),
                                            {},
                                            std::vector<std::uint32_t>(ssc.events().size()),
                                            std::vector<std::vector<std::uint32_t>>(ssc.events().size()),
                                            std::vector<std::uint32_t>(workers, kNone)});
      rank.tasks.reserve(ssc.tasks().size());
      for (const TaskDescriptor& td : ssc.tasks())
        rank.tasks.push_back({td.dependent_event, td.trigger_rank, td.trigger_event});
    }
  }

  void run() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t w = 0; w < ranks_[r].queues.workers(); ++w) runnable_.push_back({r, w});
    }
    while (!runnable_.empty()) {
      const Worker worker = runnable_.back();
      runnable_.pop_back();
      work(worker);
    }
  }

  std::vector<std::string> blocked() const {
    std::vector<std::string> result;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t w = 0; w < ranks_[r].holds.size(); ++w) {
        const std::uint32_t task = ranks_[r].holds[w];
        if (task == kNone) continue;
        const std::uint32_t event = taskflow_.ranks[r].tasks[task].dependent_event;
        result.push_back(fmt::format("deadlock: {} of rank {} holds {} and waits for event {}: {} of {}",
                                     schedule_[r].kinds().worker_name(w), r, taskflow_.task_name(r, task),
                                     event, ranks_[r].counts[event],
                                     taskflow_.ranks[r].events[event].threshold));
      }
    }
    return result;
  }

 private:
  struct Worker {
    std::uint32_t rank, worker;
  };
  // The fields of a task that workers need. They are few, so that they stay in the caches while workers jump
  // between them.
  struct TaskFields {
    std::uint32_t waits_for, trigger_rank, trigger_event;
  };
  struct Rank {
    WorkerQueues queues;
    std::vector<TaskFields> tasks;                    // one entry per task
    std::vector<std::uint32_t> counts;                // one entry per event
    std::vector<std::vector<std::uint32_t>> waiting;  // one list of workers per event
    std::vector<std::uint32_t> holds;                 // one entry per worker: the task that it waits with
  };

  // Runs a worker's tasks until it must wait or has none left.
  void work(Worker worker) {
    Rank& rank = ranks_[worker.rank];
    const TaskflowView::Rank& view = taskflow_.ranks[worker.rank];
    std::uint32_t& held = rank.holds[worker.worker];
    if (held != kNone) trigger(rank.tasks[std::exchange(held, kNone)]);
    for (std::uint32_t task = rank.queues.take(worker.worker); task != kNone;
         task = rank.queues.take(worker.worker)) {
      const TaskFields& fields = rank.tasks[task];
      const std::uint32_t event = fields.waits_for;
      if (event != kNone && rank.counts[event] < view.events[event].threshold) {
        held = task;
        rank.waiting[event].push_back(worker.worker);
        return;
      }
      trigger(fields);
    }
  }

  void trigger(const TaskFields& fields) {
    Rank& rank = ranks_[fields.trigger_rank];
    const EventDescriptor& event = taskflow_.ranks[fields.trigger_rank].events[fields.trigger_event];
    if (++rank.counts[fields.trigger_event] != event.threshold) return;
    for (const std::uint32_t worker : rank.waiting[fields.trigger_event])
      runnable_.push_back({fields.trigger_rank, worker});
    rank.waiting[fields.trigger_event].clear();
  }

  const Schedule& schedule_;
  TaskflowView taskflow_;
  std::vector<Rank> ranks_;
  std::vector<Worker> runnable_;
};

}  // namespace

std::vector<std::string> find_deadlock(const Schedule& schedule) {
  UntimedRun run(schedule);
  run.run();
  return run.blocked();
}

}  // namespace a3sim
