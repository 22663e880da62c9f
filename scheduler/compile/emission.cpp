#include "scheduler/compile/emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "models/operators/engine_put.h"
#include "scheduler/compile/event_consumers.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

class Emitter {
 public:
  Emitter(const TaskflowView& taskflow, const Plans& plans, const WorkerKinds& kinds,
          const std::string& where)
      : taskflow_(taskflow),
        kinds_(kinds),
        where_(where),
        result_(plans.size(), std::vector<std::vector<std::uint32_t>>(kinds.size())),
        plans_(plans.size() * kPlans),
        moves_(plans.size() * kinds.size()),
        merges_(kinds.one_queue()) {
    for (std::uint32_t r = 0; r < taskflow.ranks.size(); ++r) {
      first_event_.push_back(static_cast<std::uint32_t>(missing_.size()));
      for (const EventDescriptor& event : taskflow.ranks[r].events) {
        missing_.push_back(event.threshold);
        rank_of_.push_back(r);
      }
    }
    for (std::uint32_t r = 0; r < plans.size(); ++r) {
      const TaskflowView::Rank& rank = taskflow.ranks[r];
      consumers_.emplace_back(rank.tasks, rank.events.size());
      places_.emplace_back(rank.tasks.size());
      for (std::uint32_t u = 0; u < kPlans; ++u) add_plan(r, u, plans[r][u]);
    }
  }

  QueueContents run() {
    for (std::uint32_t r = 0; r < consumers_.size(); ++r) {
      for (const std::uint32_t task : consumers_[r].free()) make_ready(r, task);
    }
    while (left_ > 0) {
      while (!moving_.empty()) round();
      if (left_ > 0) depart();
    }
    return std::move(result_);
  }

 private:
  struct Plan {
    const UnitPlan* wanted;
    std::uint32_t rank = 0, queue = 0;  // queue: index on the rank
    std::uint32_t head = 0;             // first position that is not emitted
    std::uint32_t done = 0;             // number of tasks emitted
    std::uint32_t first = kNone;        // no position before it is ready and not emitted
    std::vector<bool> is_ready;         // by position: ready or emitted
    std::vector<bool> emitted;          // by position
    // One entry per position: the event that the task triggers. The task tables are too large to stay in the
    // caches.
    std::vector<std::uint32_t> triggers;

    // Returns whether a smaller part of this plan has been emitted than of `other`.
    bool is_behind(const Plan& other) const {
      return std::uint64_t{done} * other.wanted->tasks.size() <
             std::uint64_t{other.done} * wanted->tasks.size();
    }
    bool can_go_on() const { return head < is_ready.size() && is_ready[head]; }
    // Returns the smallest ready position, or kNone.
    std::uint32_t first_ready() {
      while (first < emitted.size() && (emitted[first] || !is_ready[first])) ++first;
      if (first >= emitted.size()) first = kNone;
      return first;
    }
  };
  // The plan and the position of a task.
  struct Place {
    std::uint32_t unit, position;
  };

  void add_plan(std::uint32_t rank, std::uint32_t unit, const UnitPlan& wanted) {
    Plan& plan = plans_[rank * kPlans + unit];
    plan.wanted = &wanted;
    plan.rank = rank;
    // kNone for an empty plan without workers.
    plan.queue = wanted.queue != kNone ? wanted.queue
                 : unit < kCoreUnits   ? kinds_.queue_for(static_cast<CoreUnit>(unit))
                                       : kNone;
    plan.is_ready.resize(wanted.tasks.size());
    plan.emitted.resize(wanted.tasks.size());
    plan.triggers.reserve(wanted.tasks.size());
    const std::span<const TaskDescriptor> tasks = taskflow_.ranks[rank].tasks;
    for (std::uint32_t p = 0; p < wanted.tasks.size(); ++p) {
      const TaskDescriptor& td = tasks[wanted.tasks[p]];
      places_[rank][wanted.tasks[p]] = {unit, p};
      plan.triggers.push_back(first_event_[td.trigger_rank] + td.trigger_event);
    }
    left_ += wanted.tasks.size();
    if (wanted.tasks.empty()) return;
    std::vector<std::uint32_t>& queue = result_[rank][plan.queue];
    queue.reserve(queue.capacity() + wanted.tasks.size());
  }

  // Adds the queue to the next round.
  void move(const Plan& plan) {
    const std::uint32_t q = plan.rank * kinds_.size() + plan.queue;
    if (moves_[q]) return;
    moves_[q] = true;
    moving_.push_back(q);
  }

  void make_ready(std::uint32_t rank, std::uint32_t task) {
    const Place place = places_[rank][task];
    Plan& plan = plans_[rank * kPlans + place.unit];
    plan.is_ready[place.position] = true;
    plan.first = std::min(plan.first, place.position);
    if (place.position == plan.head) move(plan);
  }

  void round() {
    chosen_.clear();
    for (const std::uint32_t q : moving_) {
      moves_[q] = false;
      if (Plan* const plan = choose(q)) chosen_.push_back(plan);
    }
    moving_.clear();
    for (Plan* const plan : chosen_) {
      // If no plans are merged, the order of queues does not matter: each goes on while its tables are in the
      // caches.
      do {
        emit(*plan, plan->head);
      } while (!merges_ && plan->can_go_on());
      move(*plan);
    }
  }

  // Returns the plan whose next task the queue emits, or null if none is ready.
  Plan* choose(std::uint32_t q) {
    Plan* best = nullptr;
    const std::uint32_t rank = q / kinds_.size();
    for (std::uint32_t u = 0; u < kPlans; ++u) {
      Plan& plan = plans_[rank * kPlans + u];
      if (!plan.can_go_on() || plan.queue != q % kinds_.size()) continue;
      if (best == nullptr || plan.is_behind(*best)) best = &plan;
    }
    return best;
  }

  void emit(Plan& plan, std::uint32_t position) {
    plan.emitted[position] = true;
    ++plan.done;
    while (plan.head < plan.emitted.size() && plan.emitted[plan.head]) ++plan.head;
    const std::uint32_t task = plan.wanted->tasks[position];
    result_[plan.rank][plan.queue].push_back(task);
    --left_;
    const std::uint32_t event = plan.triggers[position];
    if (--missing_[event] > 0) return;
    const std::uint32_t rank = rank_of_[event];
    for (const std::uint32_t consumer : consumers_[rank].waiting(event - first_event_[rank]))
      make_ready(rank, consumer);
  }

  // Emits a task out of turn, on one rank alone: then it does not do what ranks do that it stands for.
  void depart() {
    if (taskflow_.ranks.size() < taskflow_.group)
      throw InputError(where_ +
                       "it cannot be kept, and is left on one rank at a time, so ranks are not alike; take "
                       "experiment.simulate all");
    for (Plan& plan : plans_) {
      if (plan.wanted->fixed) continue;
      const std::uint32_t position = plan.first_ready();
      if (position == kNone) continue;
      emit(plan, position);
      return;
    }
    throw InputError(where_ + blocked());
  }

  const TaskDescriptor& head(const Plan& plan) const {
    return taskflow_.ranks[plan.rank].tasks[plan.wanted->tasks[plan.head]];
  }

  // Returns the fixed plan whose blocking task has the latest stage: that task is too early, and the others
  // wait for tasks behind it.
  const Plan* most_blocked() const {
    const Plan* most = nullptr;
    for (const Plan& plan : plans_) {
      if (!plan.wanted->fixed || plan.head == plan.wanted->tasks.size()) continue;
      if (most == nullptr || head(plan).stage > head(*most).stage) most = &plan;
    }
    return most;
  }

  std::string blocked() const {
    const Plan* const plan = most_blocked();
    if (plan == nullptr) return "the tasks wait for one another";
    const std::uint32_t rank = plan->rank, task = plan->wanted->tasks[plan->head];
    const std::uint32_t event = taskflow_.ranks[rank].tasks[task].dependent_event;
    const std::uint32_t threshold = taskflow_.ranks[rank].events[event].threshold;
    return fmt::format(
        "{} at place {} of the {} of rank {} can never run: it waits for event {} ({} of {}), {}",
        taskflow_.task_name(rank, task), plan->head, kinds_[plan->queue].queue(), rank, event,
        threshold - missing_[first_event_[rank] + event], threshold, missing_producer(rank, event));
  }

  std::string missing_producer(std::uint32_t rank, std::uint32_t event) const {
    for (std::uint32_t r = 0; r < taskflow_.ranks.size(); ++r) {
      const std::span<const TaskDescriptor> tasks = taskflow_.ranks[r].tasks;
      for (std::uint32_t t = 0; t < tasks.size(); ++t) {
        const Place place = places_[r][t];
        if (tasks[t].trigger_rank != rank || tasks[t].trigger_event != event ||
            plans_[r * kPlans + place.unit].emitted[place.position])
          continue;
        return fmt::format("which {} on rank {} must trigger", taskflow_.task_name(r, t), r);
      }
    }
    return "which nothing else triggers";
  }

  const TaskflowView& taskflow_;
  const WorkerKinds& kinds_;
  const std::string& where_;
  QueueContents result_;
  std::vector<Plan> plans_;  // one entry per rank, then unit
  std::vector<EventConsumers> consumers_;
  std::vector<std::uint32_t> first_event_;  // one entry per rank: number of its first event
  std::vector<std::uint32_t> missing_;      // one entry per event number: triggers still missing
  std::vector<std::uint32_t> rank_of_;      // one entry per event number
  std::vector<std::vector<Place>> places_;  // one entry per rank, then task
  std::vector<std::uint32_t> moving_;       // queues of the next round: by rank, then queue
  std::vector<bool> moves_;                 // one entry per queue: it is in moving_
  std::vector<Plan*> chosen_;               // in the current round
  bool merges_;                             // both plans of a rank go to one queue
  std::size_t left_ = 0;
};

}  // namespace

QueueContents emit(const TaskflowView& taskflow, const Plans& plans, const WorkerKinds& kinds,
                   const std::string& where) {
  return Emitter(taskflow, plans, kinds, where).run();
}

}  // namespace a3sim
