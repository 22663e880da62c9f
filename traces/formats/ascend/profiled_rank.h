#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/times.h"
#include "traces/observation.h"
#include "traces/trace.h"

namespace a3sim {

// What a profiler with all of its counters says of a kernel beside its times.
struct ProfiledCounters {
  std::uint32_t rows = 0, inner = 0,
                columns = 0;  // [rows, inner] x [inner, columns]; inner 0: [rows, columns]
  double hbm_bytes = 0, l2_bytes = 0;
  double clock = 0;  // Hz, while it ran
};

// An operator of a pass on one rank, as a profiler sees a kernel: from its first task's start to its last
// one's end.
struct ProfiledKernel {
  std::string_view name;
  TaskUnit unit = TaskUnit::kVector;
  std::uint32_t stream = 0;   // the first that was free: kernels that overlap have different ones
  std::uint32_t workers = 0;  // that ran its tasks
  Duration start{}, end{};
  Duration wait{};                 // since the last one before it on its stream
  Duration run{}, arithmetic{};    // of its tasks together
  std::optional<double> hit_rate;  // in the L2, of what it reads
  std::optional<ProfiledCounters> counters;
};

// What an operator of a pass sends to other ranks.
struct ProfiledExchange {
  struct Sent {
    std::uint64_t bytes = 0;
    Duration time{};  // of its puts, one after the other
  };
  std::string_view name;
  Duration start{}, end{};                               // until all has arrived
  Duration transit{};                                    // at least one put is under way
  std::vector<Sent> to;                                  // by rank
  std::vector<std::pair<std::uint64_t, Duration>> puts;  // bytes and time of each
};

// Where ranks meet, or one waits for rows of others.
struct ProfiledWait {
  std::string name;  // as collectives are called
  Duration start{}, end{}, waited{};
  bool meeting = false;
};

// A put, to another rank.
struct ProfiledPut {
  std::uint32_t dst = 0;
  double bytes = 0;
  Duration start{}, end{};
  std::string_view name, plane;
};

struct ProfiledHostEvent {
  HostKind kind = HostKind::kOther;
  Duration start{}, end{};
};

struct ProfiledStep {
  std::uint32_t number = 1;
  Duration start{}, length{};
  std::vector<ProfiledKernel> kernels;      // by start
  std::vector<ProfiledExchange> exchanges;  // by start
  Times computing, communicating;
  // Of jobs that were watched.
  std::vector<ProfiledWait> waits;
  std::vector<ProfiledPut> puts;
  std::vector<ProfiledHostEvent> host;
  std::optional<std::array<std::uint8_t, 3>> fill;  // of the queues of batches, as in LightRecord
};

struct ProfiledRank {
  std::vector<ProfiledStep> steps;
};

// What a profiler would have seen of one rank in a run, which is one step; passes follow one another.
ProfiledStep profiled(std::span<const TracedPass> passes, std::uint32_t rank);
// The same of all ranks of a job, in the steps that were recorded in full of all of them; the observation must outlive
// it. Throws InputError where there is none, or more than tools open.
std::vector<ProfiledRank> profiled(const Observation& job);

// Gives a step's kernels, in the order of their starts, streams and waits.
void choose_streams(std::vector<ProfiledKernel>& kernels, Duration begin);

}  // namespace a3sim
