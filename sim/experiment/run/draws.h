#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "sim/runtime/streams/stream_program.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

struct Experiment;

// Says how much runs differ from one another. A factor of spread s is drawn evenly from 1 - s to 1 + s.
struct JitterOptions {
  std::uint32_t runs = 6;  // 0: a single run without jitter
  std::uint64_t seed = 1;
  double durations = 0.05;  // spread of each task's own time; at least 0, below 1
  double rates = 0.02;      // spread of the rates of memory and links, one factor each for a whole run

  static JitterOptions none() { return {0, 1, 0, 0}; }
  std::uint32_t draws() const { return runs > 0 ? runs : 1; }
};

// One of the runs of the jitter. All experiments get the same draws ("common random numbers": Law, Simulation
// Modeling and Analysis, ch. 11), so that two experiments are compared run by run.
struct Draw {
  JitterOptions jitter = JitterOptions::none();
  std::uint32_t run = 0;

  // Returns the jitter, or none if there is a single run without jitter.
  JitterOptions options() const { return jitter.runs > 0 ? jitter : JitterOptions::none(); }
};

// Varies the times of a schedule's tasks in a run. A task has the same factor under every order, because its
// operator, number, expert, source and destination decide the factor, not its place in a queue.
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

// Does the same for a program on streams. A task's rank, its name, and its number among the rank's tasks of
// that name decide its factor.
class StreamJitter final : public TaskHooks {
 public:
  StreamJitter(const StreamProgram& program, const JitterOptions& options, std::uint32_t run,
               std::uint32_t pass);
  double slowness(RankId rank, std::uint32_t task) override;

 private:
  std::vector<double> factors_;  // one factor per task
};

// Returns the experiment on the machine of a run. The rates of L2, HBM, ports, puts and the host's
// collectives each have a factor of their own.
Experiment with_jitter(const Experiment& experiment, const JitterOptions& options, std::uint32_t run);

}  // namespace a3sim
