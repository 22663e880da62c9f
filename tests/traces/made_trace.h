#pragma once

#include <string>
#include <vector>

#include "traces/analysis/critical_path.h"

namespace a3sim {

// The way in which workers get their tasks.
enum class Way : std::uint8_t { kStatic, kDynamic, kKernel };

inline constexpr Duration kLaunchTime = 1000_ps, kTaskTime = 10_ps, kPollTime = 7_ps, kHopTime = 40_ps,
                          kHostTime = 500_ps;

// A trace made by hand, with the operators "cube", "vector" and "put", numbered as here.
class MadeTrace {
 public:
  static constexpr std::uint32_t kCubeOp = 0, kVectorOp = 1, kPutOp = 2;

  explicit MadeTrace(Way way, std::uint32_t ranks = 1) {
    trace_.machine.has_kernels = way == Way::kKernel;
    trace_.machine.workers = aic_and_aiv(2, 2);
    trace_.machine.launch = kLaunchTime;
    trace_.machine.hbm_read = trace_.machine.hbm_write = trace_.machine.l2_read = trace_.machine.port = 1e12;
    trace_.operators = {{.name = "cube", .unit = TaskUnit::kCube, .stage = 0, .left_by = {}},
                        {.name = "vector", .unit = TaskUnit::kVector, .stage = 1, .left_by = {}},
                        {.name = "put", .unit = TaskUnit::kPut, .stage = 2, .left_by = {}}};
    trace_.ranks.resize(ranks);
    trace_.hosts.resize(ranks);
    trace_.starts.resize(ranks);
  }

  // Adds a task of a rank without losses. It waits for `waits` and triggers `triggers` on its own rank. Its
  // cause is the last made task that triggers what it waits for; else the task before on its worker; else
  // the beginning.
  TraceTask& task(std::uint32_t op, std::uint32_t worker, Duration taken, Duration start, Duration end,
                  std::uint32_t waits, std::uint32_t triggers, std::uint32_t rank = 0) {
    const Cause cause = cause_of(worker, waits, rank);
    TraceTask& task = trace_.ranks[rank].emplace_back();
    task.cause = cause;
    task.op = op;
    task.worker = worker;
    task.dst = task.trigger_rank = rank;
    task.dependent_event = waits;
    task.trigger_event = triggers;
    task.taken = taken;
    task.start = start;
    task.end = end;
    task.done = end;
    task.visible = end + kPollTime;
    task.ideal = end - start;
    trace_.makespan = std::max(trace_.makespan, end);
    return task;
  }
  // Adds a put to another rank. Its last byte leaves at its end.
  TraceTask& put(std::uint32_t worker, Duration taken, Duration start, Duration end, std::uint32_t waits,
                 std::uint32_t dst, std::uint32_t triggers, std::uint32_t rank = 0) {
    TraceTask& put = task(kPutOp, worker, taken, start, end, waits, triggers, rank);
    put.remote = true;
    put.dst = put.trigger_rank = dst;
    put.visible = end + kHopTime;
    trace_.makespan = std::max(trace_.makespan, put.visible);
    return put;
  }

  // Adds an activity of a rank's host, requested when it began.
  Cause host(Blame what, std::uint32_t op, Duration start, Duration end, const Cause& cause,
             std::uint32_t rank = 0) {
    trace_.hosts[rank].push_back({what, op, start, start, end, cause});
    return {Cause::Kind::kHost, true, rank, static_cast<std::uint32_t>(trace_.hosts[rank].size() - 1)};
  }

  Trace& trace() { return trace_; }
  CriticalPath path() const { return critical_path(Causes(trace_)); }

 private:
  Cause cause_of(std::uint32_t worker, std::uint32_t waits, std::uint32_t rank) const {
    Cause cause;
    Duration last{};
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      for (std::uint32_t t = 0; t < trace_.ranks[r].size(); ++t) {
        const TraceTask& task = trace_.ranks[r][t];
        const bool triggers = waits != kNone && task.trigger_rank == rank && task.trigger_event == waits;
        if (triggers && task.visible > last) {
          cause = {Cause::Kind::kEvent, false, r, t};
          last = task.visible;
        }
        if (cause.kind != Cause::Kind::kEvent && r == rank && task.worker == worker)
          cause = {Cause::Kind::kLane, false, r, t};
      }
    }
    return cause;
  }

  Trace trace_;
};

// Returns two passes on two ranks: tasks of two kinds and a put; some tasks wait.
inline std::vector<TracedPass> made_passes() {
  MadeTrace made(Way::kStatic, 2);
  made.task(MadeTrace::kVectorOp, 2, 1'000'000_ps, 1'010'000_ps, 1'250'000_ps, kNone, 0).l2_hits = 3;
  made.put(3, 1'000'000_ps, 1'300'000_ps, 1'500'000_ps, 0, 1, 5);
  made.task(MadeTrace::kCubeOp, 0, 1'000'000_ps, 1'550'000_ps, 1'900'000_ps, 5, 6, 1);
  made.task(MadeTrace::kCubeOp, 1, 1'000'000_ps, 1'600'000_ps, 1'700'000_ps, 5, 7, 1).index = 1;
  made.trace().operators[MadeTrace::kCubeOp].name = "GMM_w1_grad";
  return {{"forward", made.trace()}, {"backward", made.trace()}};
}

inline Duration of(const CriticalPath& path, std::uint32_t op, Blame blame) {
  return path.blame[op][static_cast<std::size_t>(blame)];
}

// Returns the time of a path that was spent on one thing.
inline Duration of(const CriticalPath& path, Blame blame) {
  Duration sum{};
  for (const BlameTimes& times : path.blame) sum += times[static_cast<std::size_t>(blame)];
  return sum;
}

inline Duration sum_of(const BlameTimes& times) {
  Duration sum{};
  for (const Duration time : times) sum += time;
  return sum;
}

}  // namespace a3sim
