#include "traces/analysis/critical_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace a3sim {
namespace {

class PathWalk {
 public:
  explicit PathWalk(const Causes& causes) : causes_(causes), trace_(causes.trace()), time_(trace_.makespan) {}
  CriticalPath walk();

 private:
  TaskAt from_last_completion();
  // Add what an activity did until the time of the walk, and continue before the time of its cause.
  void go_before(TaskAt at);
  void go_before(const HostActivity& activity);
  void go_before_taking(TaskAt at);
  void go_to_producer(TaskAt from, TaskAt at);
  // Blames the time from `from` until the walk's time on the operator, for one reason.
  void wait(Duration from, std::uint32_t op, TaskAt task, Blame blame);
  void add(PathSegment segment);

  const Causes& causes_;
  const Trace& trace_;
  Duration time_;  // of the walk
  Cause next_;     // the next cause of the walk
  CriticalPath path_;
};

void PathWalk::add(PathSegment segment) {
  if (segment.from == segment.to) return;
  time_ = segment.from;
  path_.segments.push_back(segment);
}

void PathWalk::wait(Duration from, std::uint32_t op, TaskAt task, Blame blame) {
  if (from > time_) throw InputError("the tasks' times contradict each other");
  PathSegment segment{.from = from, .to = time_, .op = op, .task = task};
  at(segment.blame, blame) = time_ - from;
  add(segment);
}

// Returns the last completion. A put completes when its destination sees it, other tasks when they end.
TaskAt PathWalk::from_last_completion() {
  if (trace_.last != kNoTask) {
    time_ = trace_.latency();
    return trace_.last;
  }
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
  if (last == kNoTask || latest != time_) {
    throw InputError(fmt::format("the last task completes at {} ps, but the latency is {} ps", latest.count(),
                                 time_.count()));
  }
  if (causes_.task(last).end < time_) wait(causes_.task(last).done, causes_.task(last).op, last, Blame::kHop);
  return last;
}

CriticalPath PathWalk::walk() {
  std::size_t left = 0;
  for (const auto& rank : trace_.ranks) left += 2 * rank.size();  // each task may run and be handed out
  for (const auto& rank : trace_.hosts) left += rank.size();
  const TaskAt last = from_last_completion();
  for (next_ = {Cause::Kind::kDependency, false, last.rank, last.task}; next_.has_activity();) {
    if (left-- == 0) throw InputError("the tasks wait for each other in a circle");
    if (next_.host)
      go_before(causes_.host(next_));
    else if (next_.kind == Cause::Kind::kScheduler)
      go_before_taking(next_.task());
    else
      go_before(next_.task());
  }
  std::reverse(path_.segments.begin(), path_.segments.end());
  path_.blame.resize(trace_.operators.size());
  for (const PathSegment& segment : path_.segments) {
    for (std::uint32_t b = 0; b < kBlames; ++b) path_.blame[segment.op][b] += segment.blame[b];
  }
  return std::move(path_);
}

void PathWalk::go_before(TaskAt at) {
  const TraceTask& task = causes_.task(at);
  PathSegment segment{.from = task.start, .to = time_, .op = task.op, .task = at, .ran = true};
  add_run(trace_, task, time_, segment.blame);
  time_ = task.start;
  add(segment);
  go_before_taking(at);
}

// Blames the time before a task was taken. If its worker had the task before its inputs were there, the
// worker waited at it; else the worker took, fetched and checked the task, or got it from the scheduler.
void PathWalk::go_before_taking(TaskAt at) {
  const TraceTask& task = causes_.task(at);
  const Cause& cause = task.cause;
  const Duration time = causes_.time(cause, task.taken);
  if (time <= task.taken) wait(task.taken, task.op, at, Blame::kScheduling);
  wait(time, task.op, at, wait_after(cause.kind));
  next_ = cause;
  if (cause.kind == Cause::Kind::kEvent) go_to_producer(cause.task(), at);
}

// Blames the time that a trigger took to be seen: on the put if it came from afar, else on the waiting
// task.
void PathWalk::go_to_producer(TaskAt from, TaskAt at) {
  const TraceTask& task = causes_.task(from);
  if (task.remote)
    wait(task.done, task.op, from, Blame::kHop);
  else
    wait(task.done, causes_.task(at).op, at, Blame::kPoll);
}

void PathWalk::go_before(const HostActivity& activity) {
  wait(activity.start, activity.op, kNoTask, activity.what);
  const Duration time = causes_.time(activity.cause);
  wait(time, activity.op, kNoTask, wait_after(activity.cause.kind));
  next_ = activity.cause;
}

void take_over(PathStretch& into, const PathStretch& other) {
  into.to = other.to;
  into.tasks += other.tasks;
  for (const std::uint32_t op : other.ops) {
    if (std::find(into.ops.begin(), into.ops.end(), op) == into.ops.end()) into.ops.push_back(op);
  }
  for (std::uint32_t b = 0; b < kBlames; ++b) into.blame[b] += other.blame[b];
}

// Joins the shortest stretch with the shorter of its neighbours; of equals with the first.
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

// Joins two operators that take turns into one stretch of both.
void join_alternations(std::vector<PathStretch>& stretches) {
  std::vector<PathStretch> joined;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    PathStretch& stretch = joined.emplace_back(std::move(stretches[i]));
    for (; i + 2 < stretches.size() && stretch.ops.front() == stretches[i + 2].ops.front(); i += 2) {
      take_over(stretch, stretches[i + 1]);
      take_over(stretch, stretches[i + 2]);
    }
  }
  stretches = std::move(joined);
}

bool within(const std::vector<std::uint32_t>& some, const std::vector<std::uint32_t>& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](std::uint32_t op) { return std::find(all.begin(), all.end(), op) != all.end(); });
}

// Joins neighbours if one of them has no operator that the other lacks, so that operators that take turns
// stay together.
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
  for (const PathSegment& segment : path.segments) {
    const PathStretch one{segment.from, segment.to, {segment.op}, segment.ran ? 1U : 0U, segment.blame};
    if (!stretches.empty() && stretches.back().ops.front() == segment.op) {
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
