#include "sim/core/error.h"
#include "sim/experiment/outcome/run_trace.h"
#include "tests/invariants/run_check.h"
#include "traces/analysis/critical_path.h"
#include "traces/analysis/worker_time.h"

using namespace a3sim;

namespace {

// Each step begins where the one before ends, and is blamed to the picosecond.
void check_path(const Trace& trace, const CriticalPath& path) {
  Duration time{};
  for (const PathSegment& segment : path.segments) {
    RC_ASSERT(segment.from == time);
    time = segment.to;
    Duration sum{};
    for (const Duration time : segment.blame) {
      RC_ASSERT(time >= Duration::zero());
      sum += time;
    }
    RC_ASSERT(sum == segment.to - segment.from);
  }
  RC_ASSERT(time == trace.makespan);
}

// What caused an activity was over, and seen, before it started, and no part of a worker's time is less than nothing.
void check_causes(const Causes& causes, const Trace& trace) {
  for (const auto& rank : trace.ranks) {
    for (const TraceTask& task : rank) {
      RC_ASSERT(causes.time(task.cause, task.taken) <= task.start);
      RC_ASSERT(task.cause.kind != Cause::Kind::kUnknown);
    }
  }
  for (const auto& host : trace.hosts) {
    for (const HostActivity& activity : host) RC_ASSERT(causes.time(activity.cause) <= activity.start);
  }
  for (const auto& rank : worker_times(causes)) {
    for (const WorkerTimes& times : rank) {
      for (const Duration time : times) RC_ASSERT(time >= Duration::zero());
    }
  }
}

void check(const Trace& trace) { const Causes causes(trace); }

// A cause of another kind, or of an activity that there is not, is refused.
void check_mutations(const Trace& trace) {
  constexpr std::size_t kTried = 5;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const std::vector<TraceTask>& tasks = trace.ranks[rank];
    for (std::size_t i = 0; i < kTried && i < tasks.size(); ++i) {
      const std::size_t task = tasks.size() - 1 - i;
      const Cause& cause = tasks[task].cause;
      if (cause.kind != Cause::Kind::kLane && cause.kind != Cause::Kind::kHost) continue;
      // Of tasks without length at the same time any may be the first.
      if (!cause.host && tasks[cause.number].taken == tasks[task].taken) continue;
      Trace changed = trace;
      Cause& wrong = changed.ranks[rank][task].cause;
      wrong.kind = cause.host ? Cause::Kind::kKernel : Cause::Kind::kBeginning;
      RC_ASSERT_THROWS_AS(check(changed), InputError);
      wrong = cause;
      wrong.number += static_cast<std::uint32_t>(tasks.size()) * 2;
      RC_ASSERT_THROWS_AS(check(changed), InputError);
      return;
    }
  }
}

void starts_because_of_its_cause(const CountedRun& run) {
  for (const CountedPass& pass : run.passes) {
    const Trace trace = trace_of(run.experiment, pass.result);
    const Causes causes(trace);
    check_path(trace, critical_path(causes));
    check_causes(causes, trace);
    check_mutations(trace);
  }
}
const RunCheck kCauses("the path by recorded causes is whole, and no cause is later than what it caused",
                       starts_because_of_its_cause);

}  // namespace
