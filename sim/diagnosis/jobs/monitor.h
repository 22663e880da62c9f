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

// What is recorded beside light records: nothing; steps behind a slow one, of suspects and a healthy rank; the slow
// steps themselves, of the same ranks, as the simulation can run them again; all steps of all ranks.
enum class Recording : std::uint8_t { kLight, kNext, kSame, kFull };
constexpr auto names_of(Recording) {
  return std::to_array<std::string_view>({"light", "next", "same", "full"});
}

struct MonitorOptions {
  std::uint32_t steps = 60;
  Recording recording = Recording::kNext;
  unsigned threads = 1;
  LocateLimits limits{};  // when a step is slow
};

// What came of a job, in short.
struct MonitorSummary {
  std::uint32_t steps = 0, slow = 0, full = 0, ranks = 0;
  Duration total{}, median{}, longest{}, reference{};
  std::uint32_t longest_step = 0;
};

// Gets the files of the records, each once.
using AddFile = std::function<void(std::string_view name, std::string_view contents)>;

// Runs the job's steps and gives away what was recorded: job.json, light.bin, reference.bin, full/…, and truth.json.
// The same bytes whatever the number of threads.
MonitorSummary monitor(const JobSpec& spec, const MonitorOptions& options, const AddFile& add);
Report monitor_report(const JobSpec& spec, const MonitorSummary& summary);

// The injected faults and noise, as JSON: for who judges advice, never for who gives it.
std::string truth_json(const Injection& injection, std::uint32_t steps);

}  // namespace a3sim
