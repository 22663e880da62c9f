#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/ascend_files.h"
#include "traces/import/kernel_rows.h"
#include "traces/import/profile.h"
#include "traces/import/trace_events.h"

namespace a3sim {

// Takes what an Ascend profiler's directories hold, rank by rank: first a rank's kernels and exchanges, then its time
// line. Dates are since the profile's first one, on the rank's own clock.
class AscendSink {
 public:
  virtual ~AscendSink() = default;

  // The directories that will be read.
  virtual void begin(std::span<const ProfiledHome> /*homes*/) {}
  virtual void begin_rank(const ProfiledHome& home) = 0;
  // A table whose rows come next.
  virtual void table(const KernelRows& rows) = 0;
  // A kernel or a collective that has a duration.
  virtual void kernel(std::uint32_t rank, const KernelRow& row, std::size_t line) = 0;
  // A kernel without a duration, which is in no sum.
  virtual void unfinished(std::uint32_t rank, const KernelRow& row) = 0;
  // What ranks exchange, as communication.json tells it. Of a rank without that file: a collective's row, again.
  virtual void exchange(std::uint32_t rank, const SeenExchange& seen) = 0;
  virtual void packets(std::uint32_t rank, std::uint64_t bytes, double count, Duration total) = 0;
  // How the rank's time is split, where the profiler sums it up (step_trace_time.csv).
  virtual void steps(std::uint32_t rank, const TimeSplit& sum) = 0;
  virtual void end_rank(const ProfiledHome& home) = 0;

  // The arguments that are wanted of the time line's events; none: the time line is not read.
  virtual std::span<const std::string_view> wanted_arguments() const { return {}; }
  virtual void event(std::uint32_t /*rank*/, const TraceEvent& /*event*/, Duration /*date*/) {}
};

// By how much the clock of each rank is ahead of the first one's; ranks of which that is not known are not there.
using ProfiledClocks = std::map<std::uint32_t, ClockOffset>;

// Reads the directories of all ranks below a path into a sink. It alone decides which rows and files count. Notes what
// is left out, and why. Throws InputError with file and line for what is no profile.
ProfiledClocks read_ascend(const std::filesystem::path& path, AscendSink& to,
                           std::vector<std::string>& notes);

}  // namespace a3sim
