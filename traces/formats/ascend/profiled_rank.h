#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/times.h"
#include "traces/trace.h"

namespace a3sim {

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
};

// What an operator of a pass sends to other ranks.
struct ProfiledExchange {
  struct Sent {
    std::uint64_t bytes = 0, puts = 0;
    Duration time{};  // of these puts, one after the other
  };
  std::string_view name;
  std::uint32_t workers = 0;
  Duration start{}, end{};                               // until all has arrived
  Duration transit{};                                    // at least one put is under way
  std::vector<Sent> to;                                  // by rank
  std::vector<std::pair<std::uint64_t, Duration>> puts;  // bytes and time of each
};

struct ProfiledRank {
  Duration length{};                        // of the step
  std::vector<ProfiledKernel> kernels;      // by start
  std::vector<ProfiledExchange> exchanges;  // by start
  Times computing, communicating;
};

// What a profiler would have seen of one rank; passes follow one another.
ProfiledRank profiled(std::span<const TracedPass> passes, std::uint32_t rank);

}  // namespace a3sim
