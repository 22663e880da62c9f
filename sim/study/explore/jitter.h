#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "sim/runtime/task_hooks.h"
#include "traces/report/report.h"

namespace a3sim {

// How runs differ from one another. A factor of spread s is drawn evenly from 1 - s to 1 + s.
struct JitterOptions {
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  double durations = 0.05;  // spread of each task's own time; at least 0, below 1
  double rates = 0.02;      // of the rates of memory and links, one factor each for a whole run
  unsigned threads = 1;
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

// Latencies of one order: of all passes together, by run.
struct JitteredOrder {
  std::string name;
  Duration modelled{};           // without any jitter
  std::vector<Duration> totals;  // by run
  // By run: from the first rank's end to the last one's, summed over passes.
  std::vector<Duration> ends_apart;
  std::uint32_t fastest = 0;  // runs in which no other order was faster
};

// Runs the experiment under each order, `runs` times. The result does not depend on the number of threads.
// Throws as run_experiment() does.
std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options);

// How each order's latencies are distributed, a histogram of them for people, each run for programs, and
// which order is the best.
Report jitter_report(const Experiment& experiment, std::span<const JitteredOrder> orders,
                     const JitterOptions& options);

}  // namespace a3sim
