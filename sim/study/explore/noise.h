#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/experiment/compiled.h"
#include "sim/runtime/result.h"
#include "sim/runtime/task_hooks.h"
#include "traces/report/report.h"

namespace a3sim {

// How runs differ from one another. A factor of spread s is drawn evenly from 1 - s to 1 + s.
struct JitterOptions {
  std::uint32_t runs = 6;  // 0: one, as it is modelled
  std::uint64_t seed = 1;
  double durations = 0.05;  // spread of each task's own time; at least 0, below 1
  double rates = 0.02;      // of the rates of memory and links, one factor each for a whole run

  static JitterOptions none() { return {0, 1, 0, 0}; }
  std::uint32_t draws() const { return runs > 0 ? runs : 1; }
};

// What a run does to a task's time. The same task has the same factor under every order: it is known by its
// operator, number, expert, source and destination, not by its place in a queue.
class TaskJitter final : public TaskHooks {
 public:
  // `schedule` must outlive it. `pass` and `run` count from 0.
  TaskJitter(const Schedule& schedule, const JitterOptions& options, std::uint32_t run, std::uint32_t pass);
  double slowness(RankId rank, std::uint32_t task) override;

 private:
  const Schedule& schedule_;
  double spread_;
  std::uint64_t seed_;
};

// The machine of a run: the rates of L2, HBM, ports, puts and the host's collectives, each group with a
// factor of its own.
Hardware with_jitter(const Hardware& hardware, const JitterOptions& options, std::uint32_t run);

// One pass in one of the runs: the same draws for every experiment ("common random numbers": Law, Simulation
// Modeling and Analysis, ch. 11), so that two experiments are compared run by run.
RunResult run_jittered(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                       const JitterOptions& options, std::uint32_t run, bool record);

// Latencies by run.
using Latencies = std::vector<Duration>;
// Of all passes, in one of the runs.
Duration jittered_total(const Experiment& experiment, const Compiled& compiled, const JitterOptions& options,
                        std::uint32_t run);
Duration median_of(const Latencies& latencies);

// By how much `a` is longer than `b`, run by run: in picoseconds, and as a share of b.
MedianInterval difference_between(const Latencies& a, const Latencies& b);
MedianInterval relative_difference(const Latencies& a, const Latencies& b);

// "+0.10..+0.35 %" of shares, and ", noise" where that is not clear; nothing where it is one number.
std::string interval_in_percent(const MedianInterval& of);
// "+0.010..+0.035" of picoseconds, likewise.
std::string interval_in_milliseconds(const MedianInterval& of);

// What is said above tables that jitter decides: "medians of 9 runs with …"; of one run that it is one.
std::string jitter_note(const JitterOptions& options);
// The same for programs.
void add_jitter(Report& report, const JitterOptions& options);

}  // namespace a3sim
