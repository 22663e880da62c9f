#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/worker_kinds.h"
#include "sim/core/enum_names.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/runtime/result.h"

// What a run left behind, as its analysis needs it: plain data, read back from a result directory.
namespace a3sim {

// What an operator's tasks are made of.
enum class TaskUnit : std::uint8_t { kCube, kVector, kPut };
constexpr auto names_of(TaskUnit) { return std::to_array<std::string_view>({"cube", "vector", "put"}); }

struct TraceOperator {
  std::string name;
  TaskUnit unit = TaskUnit::kVector;
  std::uint32_t stage = 0;
  // Over all ranks.
  double l2_read = 0, l2_written = 0, hbm_read = 0, hbm_written = 0;  // bytes
  double l2_hit = 0, l2_missed = 0;                                   // of what is read without bypassing
  // By operator: bytes that this one read and found in the L2, because that one had left them there. Empty
  // where the L2 does not know.
  std::vector<double> left_by;
  friend bool operator==(const TraceOperator&, const TraceOperator&) = default;
};

// Dates are since the common start.
struct TraceTask {
  std::uint32_t op = 0, worker = 0, dst = 0;
  std::uint32_t index = 0, expert = kNone;  // among its operator's tasks on its rank; of all ranks' experts
  std::uint32_t dependent_event = kNone, trigger_rank = 0, trigger_event = 0;
  bool remote = false;  // sends to another rank
  Cause cause;
  Duration waited{};  // as in TaskRecord, these too
  Duration taken{}, start{}, end{}, done{}, visible{};
  Duration ideal{}, arithmetic{};
  std::array<Duration, kLimits> lost{};
  std::uint64_t operations = 0, put_bytes = 0;
  std::uint64_t l2_hits = 0, l2_misses = 0;  // requests that read through the L2
  std::uint64_t hbm_bytes = 0;               // read and written
  // Of a put that cables held up: by its place in Trace::links, what was full for longest while the put's bytes went over
  // it, and for how long, at most what the put lost to links.
  std::uint32_t link = kNone;
  Duration held{};
  friend bool operator==(const TraceTask&, const TraceTask&) = default;
};

// What the analysis has to know of the machine.
struct TraceMachine {
  bool has_kernels = false;  // the host launches one kernel after the other; else tasks wait for events
  bool streams = false;      // lanes are streams, whose kernels hold many workers at a time
  bool collectives = false;  // the host's move what is sent, between kernels; else workers' puts
  WorkerKinds workers;       // of a rank, as many as run tasks
  Duration launch{};         // of the first kernel
  double hbm_read = 0, hbm_write = 0, l2_read = 0, port = 0;  // bytes a second
  std::uint32_t group =
      0;  // ranks that the traced ones stand for, rank r for r + n times as many as they are; 0: none
  friend bool operator==(const TraceMachine&, const TraceMachine&) = default;
};

struct Trace {
  TraceMachine machine;
  Duration makespan{};
  TaskAt last{};  // the task whose end is waited for, where others end later; none: the last to complete
  std::vector<TraceOperator> operators;
  std::vector<std::vector<TraceTask>> ranks;     // by rank and task
  std::vector<std::vector<HostActivity>> hosts;  // by rank: what its host did, in order; empty if nothing
  std::vector<Duration> starts;                  // by rank: how much later than the others it was started
  std::vector<std::string> links{};              // cables, or cables of a switch, that held puts up
  bool inferred = false;  // causes and waits are guessed from dates, as they were not recorded

  // The end of what is waited for.
  Duration latency() const { return last == kNoTask ? makespan : ranks[last.rank][last.task].end; }
  // The traced rank that a put's `dst` is, or that stands for it.
  std::size_t rank_of(std::uint32_t dst) const { return dst % ranks.size(); }
};

struct TracedPass {
  std::string name;  // forward, backward, …
  Trace trace;
};

using BlameTimes = std::array<Duration, kBlames>;
inline Duration& at(BlameTimes& times, Blame blame) { return times[static_cast<std::size_t>(blame)]; }

// Adds a task's time from its start until `until`, its end or earlier, when a put has left: what it lost, its
// arithmetic, and the rest.
void add_run(const Trace& trace, const TraceTask& task, Duration until, BlameTimes& times);

}  // namespace a3sim
