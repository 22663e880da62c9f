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

// A line of step_trace_time.csv.
struct ToldStep {
  std::optional<std::uint64_t> step;
  Duration computing{}, communication{}, exposed{}, free{};
  std::size_t line = 0;
  double clock = 0;  // of its cores, MHz; 0: unknown. Only the recorder of traces/recorder writes it.
};

// Receives the content of an Ascend profiler's directories, rank by rank: first a rank's kernels and
// exchanges, then its time line. Times count from the profile's first one, on the rank's own clock.
class AscendSink {
 public:
  virtual ~AscendSink() = default;

  // Called first, with the directories that will be read.
  virtual void begin(std::span<const ProfiledHome> /*homes*/) {}
  virtual void begin_rank(const ProfiledHome& home) = 0;
  // Announces a table, whose rows come next.
  virtual void table(const std::string& name, const KernelColumns& columns) = 0;
  // Receives a kernel or a collective with a duration.
  virtual void kernel(std::uint32_t rank, const KernelRow& row, std::size_t line) = 0;
  // Receives a kernel without a duration, which counts in no sum.
  virtual void unfinished(std::uint32_t rank, const KernelRow& row) = 0;
  // Receives an exchange of communication.json. For a rank without that file, receives its collectives'
  // rows again.
  virtual void exchange(std::uint32_t rank, const RecordedExchange& seen) = 0;
  virtual void packets(std::uint32_t rank, std::uint64_t bytes, double count, Duration total) = 0;
  // Receives what a rank says of the links between ranks (communication_matrix.json).
  virtual void link(std::uint32_t /*rank*/, const RecordedLink& /*seen*/) {}
  // Receives the split of a step of the rank, if the profiler sums it up (step_trace_time.csv).
  virtual void step_time(std::uint32_t rank, const ToldStep& told) = 0;
  // Receives a group of ranks, if the profiler tells its members and what it is for (profiler_metadata.json).
  virtual void group(const std::string& /*name*/, const std::string& /*use*/,
                     std::span<const std::uint32_t> /*ranks*/) {}
  virtual void end_rank(const ProfiledHome& home) = 0;

  // Returns the arguments that are wanted of the time line's events. Empty: the time line is not read.
  virtual std::span<const std::string_view> wanted_arguments() const { return {}; }
  virtual void event(std::uint32_t /*rank*/, const TraceEvent& /*event*/, Duration /*time*/) {}
};

// The offset of each rank's clock from the first one's. Ranks with an unknown offset are not there.
using ProfiledClocks = std::map<std::uint32_t, ClockOffset>;

// Reads the directories of all ranks below a path into a sink. Only this function decides which rows and
// files count; `notes` say what it left out and why. Throws InputError with file and line if it is no
// profile.
ProfiledClocks read_ascend(const std::filesystem::path& path, AscendSink& to,
                           std::vector<std::string>& notes);

}  // namespace a3sim
