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

// The record of a run that analyses need: plain data, read back from a result directory.
namespace a3sim {

// The kind of an operator's tasks.
enum class TaskUnit : std::uint8_t { kCube, kVector, kPut };
constexpr auto names_of(TaskUnit) { return std::to_array<std::string_view>({"cube", "vector", "put"}); }

struct TraceOperator {
  std::string name;
  TaskUnit unit = TaskUnit::kVector;
  std::uint32_t stage = 0;
  // Sums over all ranks.
  double l2_read = 0, l2_written = 0, hbm_read = 0, hbm_written = 0;  // bytes
  double l2_hit = 0, l2_missed = 0;                                   // bytes read without bypassing the L2
  // One entry per operator: bytes that this one read and found in the L2 because that one had left them
  // there. Empty if the L2 does not record it.
  std::vector<double> left_by;
  friend bool operator==(const TraceOperator&, const TraceOperator&) = default;
};

// A task of a trace. Times count from the common start.
struct TraceTask {
  std::uint32_t op = 0, worker = 0, src = 0, dst = 0;
  // Number among its operator's tasks on its rank; expert's number over all ranks.
  std::uint32_t index = 0, expert = kNone;
  std::uint32_t dependent_event = kNone, trigger_rank = 0, trigger_event = 0;
  bool remote = false;  // sends to another rank
  Cause cause;
  Duration waited{};  // as in TaskRecord, like the times below
  Duration taken{}, start{}, end{}, done{}, visible{};
  Duration ideal{}, arithmetic{};
  Duration hold{};  // of a stream's kernel: the part of its ideal time before its cores work
  std::array<Duration, kLimits> lost{};
  std::uint64_t operations = 0, put_bytes = 0;
  std::uint64_t l2_hits = 0, l2_misses = 0;  // requests of reads through the L2
  std::uint64_t l2_write_hits = 0, l2_write_misses = 0;
  std::uint64_t hbm_bytes = 0, hbm_written = 0;  // read and written; written alone
  // For a put that cables delayed: the place in Trace::links of what was full for longest while its bytes
  // went over it, and for how long. At most what the put lost to links.
  std::uint32_t link = kNone;
  Duration held{};
  friend bool operator==(const TraceTask&, const TraceTask&) = default;
};

// The properties of the machine that analyses need.
struct TraceMachine {
  bool has_kernels = false;  // the host launches one kernel after the other; else tasks wait for events
  bool streams = false;      // lanes are streams, whose kernels hold many workers at a time
  bool collectives = false;  // collectives of the host move data between kernels; else workers' puts do
  WorkerKinds workers;       // those of a rank that run tasks
  Duration launch{};         // of the first kernel
  double hbm_read = 0, hbm_write = 0, l2_read = 0, port = 0;  // bytes per second
  // The number of ranks that the traced ones stand for: rank r also stands for r + n times the number of
  // traced ranks. 0: none.
  std::uint32_t group = 0;
  friend bool operator==(const TraceMachine&, const TraceMachine&) = default;
};

struct Trace {
  TraceMachine machine;
  Duration makespan{};
  TaskAt last{};  // task whose end counts, if others end later; kNoTask: the last to complete
  std::vector<TraceOperator> operators;
  std::vector<std::vector<TraceTask>> ranks;     // by rank, then by task
  std::vector<std::vector<HostActivity>> hosts;  // by rank: activities of its host in order; may be empty
  std::vector<Duration> starts;                  // by rank: delay of its start
  std::vector<std::string> links{};              // cables, or cables of a switch, that delayed puts
  bool inferred = false;  // causes and waits are guessed from times, because they were not recorded

  // Returns the end of the task that counts.
  Duration latency() const { return last == kNoTask ? makespan : ranks[last.rank][last.task].end; }
  // Returns the traced rank that a put's `dst` is, or that stands for it.
  std::size_t rank_of(std::uint32_t dst) const { return dst % ranks.size(); }
};

struct TracedPass {
  std::string name;  // forward, backward, …
  Trace trace;
};

using BlameTimes = std::array<Duration, kBlames>;
inline Duration& at(BlameTimes& times, Blame blame) { return times[static_cast<std::size_t>(blame)]; }

// Returns true for a stream's kernel of which only the time is known: nothing says what its own time is spent on.
bool known_by_time_alone(const TraceMachine& machine, const TraceTask& task);

// Adds a task's time from its start until `until` (its end, or earlier if its put has left): its losses,
// its arithmetic, and the rest, which is the core's own or not known.
void add_run(const Trace& trace, const TraceTask& task, Duration until, BlameTimes& times);

}  // namespace a3sim
