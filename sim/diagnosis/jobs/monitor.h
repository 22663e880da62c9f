#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/core/enum_names.h"
#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/limits.h"
#include "traces/report/report.h"

namespace a3sim {

// Says what to record in addition to light records. kLight: nothing. kNext: the steps after a slow one, for
// its suspects and a healthy rank. kSame: the slow steps themselves, for the same ranks, by running them
// again. kFull: all steps of all ranks.
enum class Recording : std::uint8_t { kLight, kNext, kSame, kFull };
constexpr auto names_of(Recording) {
  return std::to_array<std::string_view>({"light", "next", "same", "full"});
}

struct MonitorOptions {
  std::uint32_t steps = 60;
  Recording recording = Recording::kNext;
  unsigned threads = 1;
  LocateLimits limits{};  // thresholds for slow steps
};

// Summary of a job.
struct MonitorSummary {
  std::uint32_t steps = 0, slow = 0, full = 0, ranks = 0;
  Duration total{}, median{}, longest{}, reference{};
  std::uint32_t longest_step = 0;
};

// Receives each file of the records once.
using AddFile = std::function<void(std::string_view name, std::string_view contents)>;

// Runs the job and passes its records to `add`: job.json, light.bin, reference.bin, full/…, and truth.json.
// The bytes do not depend on the number of threads.
MonitorSummary monitor(const JobSpec& spec, const MonitorOptions& options, const AddFile& add);
Report monitor_report(const JobSpec& spec, const MonitorSummary& summary);

// Returns the injected faults and noise as JSON. Scoring reads it; advice never does.
std::string truth_json(const Injection& injection, std::uint32_t steps);

}  // namespace a3sim
