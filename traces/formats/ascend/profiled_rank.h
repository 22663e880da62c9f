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

// The counters of a kernel that a profiler records besides times, if all are on.
struct ProfiledCounters {
  std::uint32_t rows = 0, inner = 0,
                columns = 0;  // [rows, inner] x [inner, columns]; inner 0: [rows, columns]
  double hbm_bytes = 0, l2_bytes = 0;
  double clock = 0;  // in Hz, while it ran
};

// An operator of a pass on one rank, as a profiler sees a kernel: from its first task's start to its last
// one's end.
struct ProfiledKernel {
  std::string_view name;
  TaskUnit unit = TaskUnit::kVector;
  std::uint32_t stream = 0;   // the first free one; kernels that overlap have different streams
  std::uint32_t workers = 0;  // workers that ran its tasks
  Duration start{}, end{};
  Duration wait{};                 // since the kernel before it on its stream
  Duration run{}, arithmetic{};    // sums over its tasks
  std::optional<double> hit_rate;  // of its reads, in the L2
  std::optional<ProfiledCounters> counters;
};

// The data that an operator of a pass sends to other ranks.
struct ProfiledExchange {
  struct Sent {
    std::uint64_t bytes = 0;
    Duration time{};  // of its puts, one after the other
  };
  std::string_view name;
  Duration start{}, end{};                               // `end`: all has arrived
  Duration transit{};                                    // time with at least one put under way
  std::vector<Sent> to;                                  // one entry per rank
  std::vector<std::pair<std::uint64_t, Duration>> puts;  // bytes and time of each
};

// A point at which ranks meet, or one waits for rows of others.
struct ProfiledWait {
  std::string name;  // name as of a collective
  Duration start{}, end{}, waited{};
  bool meeting = false;
};

// A put to another rank.
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
  // Only of watched jobs.
  std::vector<ProfiledWait> waits;
  std::vector<ProfiledPut> puts;
  std::vector<ProfiledHostEvent> host;
  std::optional<std::array<std::uint8_t, 3>> fill;  // fill of the queues of batches, as in LightRecord
};

struct ProfiledRank {
  std::vector<ProfiledStep> steps;
};

// Returns what a profiler would have seen of one rank in a run. The run is one step; passes follow each
// other.
ProfiledStep profiled(std::span<const TracedPass> passes, std::uint32_t rank);
// Returns the same for all ranks of a job, for the steps that were recorded in full on all of them. The
// observation must outlive the result. Throws InputError if there is no such step, or more than tools open.
std::vector<ProfiledRank> profiled(const Observation& job);

// Assigns streams and waits to a step's kernels, in the order of their starts.
void choose_streams(std::vector<ProfiledKernel>& kernels, Duration begin);

}  // namespace a3sim
