#include "traces/analysis/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/core/error.h"
#include "traces/analysis/kernels.h"

namespace a3sim {
namespace {

class PathWalk {
 public:
  explicit PathWalk(const Causes& causes)
      : causes_(causes), trace_(causes.trace()), machine_(trace_.machine), date_(trace_.makespan) {
    if (machine_.has_kernels()) kernels_.emplace(causes);
  }
  CriticalPath walk();

 private:
  TaskAt from_last_completion();
  TaskAt before_start(TaskAt at);
  TaskAt before_static(TaskAt at);
  TaskAt before_dynamic(TaskAt at);
  TaskAt before_kernel_task(TaskAt at);
  TaskAt before_kernel(std::uint32_t rank, std::uint32_t kernel);
  TaskAt before_launch(std::uint32_t rank, std::uint32_t kernel);
  TaskAt to_producer(TaskAt at);
  // The time from `from` until the step before it in the walk is the operator's, for one reason.
  void wait(Duration from, std::uint32_t op, TaskAt task, Blame blame);
  void add(PathStep step);

  const Causes& causes_;
  const Trace& trace_;
  const TraceMachine& machine_;
  std::optional<Kernels> kernels_;
  Duration date_;  // the walk has come to it
  CriticalPath path_;
};

void PathWalk::add(PathStep step) {
  if (step.from == step.to) return;
  date_ = step.from;
  path_.steps.push_back(step);
}

void PathWalk::wait(Duration from, std::uint32_t op, TaskAt task, Blame blame) {
  if (from > date_) throw InputError("the tasks' dates contradict each other");
  PathStep step{.from = from, .to = date_, .op = op, .task = task};
  at(step.blame, blame) = date_ - from;
  add(step);
}

// A put completes when its destination sees it, all else when it ends.
TaskAt PathWalk::from_last_completion() {
  TaskAt last;
  Duration latest{};
  for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < trace_.ranks[r].size(); ++t) {
      const TraceTask& task = trace_.ranks[r][t];
      const Duration completed = task.remote ? std::max(task.visible, task.end) : task.end;
      if (last != kNoTask && completed <= latest) continue;
      last = {r, t};
      latest = completed;
    }
  }
  if (last == kNoTask || latest != date_) {
    throw InputError(fmt::format("the last task completes at {} ps, but the makespan is {} ps",
                                 latest.count(), date_.count()));
  }
  if (causes_.task(last).end < date_) wait(causes_.task(last).done, causes_.task(last).op, last, Blame::kHop);
  return last;
}

CriticalPath PathWalk::walk() {
  std::size_t tasks = 0;
  for (const auto& rank : trace_.ranks) tasks += rank.size();
  for (TaskAt next = from_last_completion(); next != kNoTask;) {
    if (tasks-- == 0) throw InputError("the tasks wait for each other in a circle");
    const TraceTask& task = causes_.task(next);
    PathStep step{.from = task.start, .to = date_, .op = task.op, .task = next, .ran = true};
    add_run(trace_, task, date_, step.blame);
    date_ = task.start;
    add(step);
    next = before_start(next);
  }
  std::reverse(path_.steps.begin(), path_.steps.end());
  path_.blame.resize(trace_.operators.size());
  for (const PathStep& step : path_.steps) {
    for (std::uint32_t b = 0; b < kBlames; ++b) path_.blame[step.op][b] += step.blame[b];
  }
  return std::move(path_);
}

TaskAt PathWalk::before_start(TaskAt at) {
  if (machine_.handed_out) return before_dynamic(at);
  const bool waits =
      !machine_.by_kernels && !(kernels_ && kernels_->meets(kernels_->of(causes_.task(at).op)));
  if (waits && causes_.ready(at) > causes_.task(at).taken + machine_.static_task) return to_producer(at);
  return kernels_ ? before_kernel_task(at) : before_static(at);
}

// What a trigger took to be seen: the put's matter if it came from afar, else the waiting task's.
TaskAt PathWalk::to_producer(TaskAt at) {
  const TaskAt from = causes_.producer(at);
  const TraceTask& task = causes_.task(from);
  const std::uint32_t op = causes_.task(at).op;
  wait(task.visible, op, at, Blame::kPoll);
  if (task.remote) {
    wait(causes_.task(from).done, task.op, from, Blame::kHop);
  } else {
    wait(task.done, op, at, Blame::kPoll);
  }
  return from;
}

TaskAt PathWalk::before_static(TaskAt at) {
  const TraceTask& task = causes_.task(at);
  wait(task.taken, task.op, at, Blame::kScheduling);
  const TaskAt last = causes_.before(at);
  if (last == kNoTask) {
    wait(Duration::zero(), task.op, at, Blame::kLaunch);
  } else {
    wait(causes_.task(last).end, task.op, at, Blame::kScheduling);
  }
  return last;
}

// The scheduler may have been handing out other tasks, one after the other: those that it did at once kept
// nobody waiting.
TaskAt PathWalk::before_dynamic(TaskAt at) {
  for (TaskAt handed_out = at;;) {
    const TraceTask& task = causes_.task(handed_out);
    wait(task.taken, task.op, handed_out, Blame::kScheduling);
    const TaskAt last = causes_.before(handed_out);
    const TaskAt served = causes_.started_before(at.rank, date_, handed_out.task);
    const bool kept = served != kNoTask && causes_.task(served).taken < causes_.task(served).start;
    const Duration ready = causes_.ready(handed_out);
    const Duration freed = last == kNoTask ? Duration::zero() : causes_.task(last).end;
    const Duration handed = kept ? causes_.task(served).start : Duration::zero();
    const Duration latest = std::max({ready, freed, handed});
    if (latest == Duration::zero()) {
      wait(Duration::zero(), task.op, handed_out, Blame::kLaunch);
      return kNoTask;
    }
    if (latest == ready) return to_producer(handed_out);
    wait(latest, task.op, handed_out, Blame::kScheduling);
    if (latest == freed) return last;
    handed_out = served;
  }
}

TaskAt PathWalk::before_kernel_task(TaskAt at) {
  const TraceTask& task = causes_.task(at);
  const TaskAt last = causes_.before(at);
  const std::uint32_t kernel = kernels_->of(task.op);
  wait(task.taken, task.op, at, Blame::kScheduling);
  if (last != kNoTask && kernels_->of(causes_.task(last).op) == kernel) {
    wait(causes_.task(last).end, task.op, at, Blame::kScheduling);
    return last;
  }
  wait(kernels_->at(at.rank, kernel).dealt, task.op, at, Blame::kScheduling);
  return before_kernel(at.rank, kernel);
}

TaskAt PathWalk::before_kernel(std::uint32_t rank, std::uint32_t kernel) {
  if (!kernels_->meets_before(kernel)) return before_launch(rank, kernel);
  const std::uint32_t last = kernels_->last_to_come(kernel);
  wait(kernels_->at(last, kernel).launched, kernels_->op(kernel), kNoTask, Blame::kCollective);
  return before_launch(last, kernel);
}

TaskAt PathWalk::before_launch(std::uint32_t rank, std::uint32_t kernel) {
  wait(date_ - (kernels_ ? kernels_->launch_of(kernel) : machine_.launch), kernels_->op(kernel), kNoTask,
       Blame::kLaunch);
  if (kernel-- == 0) {
    wait(Duration::zero(), kernels_->op(0), kNoTask, Blame::kLaunch);  // it was started later than others
    return kNoTask;
  }
  if (kernels_->meets(kernel)) {
    rank = kernels_->last_to_end(kernel);
    wait(date_ - machine_.farthest, kernels_->op(kernel), kNoTask, Blame::kHop);
  }
  const Kernels::Kernel& before = kernels_->at(rank, kernel);
  return before.last == kNone ? before_kernel(rank, kernel) : TaskAt{rank, before.last};
}

void take_over(PathStretch& into, const PathStretch& other) {
  into.to = other.to;
  into.tasks += other.tasks;
  for (const std::uint32_t op : other.ops) {
    if (std::find(into.ops.begin(), into.ops.end(), op) == into.ops.end()) into.ops.push_back(op);
  }
  for (std::uint32_t b = 0; b < kBlames; ++b) into.blame[b] += other.blame[b];
}

// Joins the shortest stretch to the shorter of its neighbours, whichever then comes first.
void join_shortest(std::vector<PathStretch>& stretches) {
  const auto length = [&](std::size_t i) { return stretches[i].to - stretches[i].from; };
  std::size_t shortest = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (length(i) < length(shortest)) shortest = i;
  }
  const bool to_next =
      shortest == 0 || (shortest + 1 < stretches.size() && length(shortest + 1) < length(shortest - 1));
  const std::size_t first = to_next ? shortest : shortest - 1;
  take_over(stretches[first], stretches[first + 1]);
  stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(first) + 1);
}

// Two operators that take turns, one after the other, become one stretch of both.
void join_alternations(std::vector<PathStretch>& stretches) {
  std::vector<PathStretch> joined;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    PathStretch& of = joined.emplace_back(std::move(stretches[i]));
    for (; i + 2 < stretches.size() && of.ops.front() == stretches[i + 2].ops.front(); i += 2) {
      take_over(of, stretches[i + 1]);
      take_over(of, stretches[i + 2]);
    }
  }
  stretches = std::move(joined);
}

bool within(const std::vector<std::uint32_t>& some, const std::vector<std::uint32_t>& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](std::uint32_t op) { return std::find(all.begin(), all.end(), op) != all.end(); });
}

// Operators that take turns stay together: neighbours of which one has no operator that the other has not.
void join_turns(std::vector<PathStretch>& stretches) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    PathStretch& last = stretches[kept];
    const PathStretch& next = stretches[i];
    if ((last.ops.size() > 1 && within(next.ops, last.ops)) ||
        (next.ops.size() > 1 && within(last.ops, next.ops))) {
      take_over(last, next);
    } else if (++kept != i) {
      stretches[kept] = std::move(stretches[i]);
    }
  }
  stretches.resize(stretches.empty() ? 0 : kept + 1);
}

}  // namespace

CriticalPath critical_path(const Causes& causes) { return PathWalk(causes).walk(); }

Blame PathStretch::most() const {
  return static_cast<Blame>(std::max_element(blame.begin(), blame.end()) - blame.begin());
}

std::vector<PathStretch> summarise(const CriticalPath& path, std::size_t most) {
  std::vector<PathStretch> stretches;
  for (const PathStep& step : path.steps) {
    const PathStretch one{step.from, step.to, {step.op}, step.ran ? 1U : 0U, step.blame};
    if (!stretches.empty() && stretches.back().ops.front() == step.op) {
      take_over(stretches.back(), one);
    } else {
      stretches.push_back(one);
    }
  }
  if (stretches.size() > most) join_alternations(stretches);
  while (stretches.size() > most) {
    join_shortest(stretches);
    join_turns(stretches);
  }
  return stretches;
}

}  // namespace a3sim
