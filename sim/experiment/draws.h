#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "sim/runtime/streams/stream_program.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

struct Experiment;

// How runs differ from one another. A factor of spread s is drawn evenly from 1 - s to 1 + s.
struct JitterOptions {
  std::uint32_t runs = 6;  // 0: one, as it is modelled
  std::uint64_t seed = 1;
  double durations = 0.05;  // spread of each task's own time; at least 0, below 1
  double rates = 0.02;      // of the rates of memory and links, one factor each for a whole run

  static JitterOptions none() { return {0, 1, 0, 0}; }
  std::uint32_t draws() const { return runs > 0 ? runs : 1; }
};

// One of the runs that jitter stands for: the same draws for every experiment ("common random numbers": Law,
// Simulation Modeling and Analysis, ch. 11), so that two experiments are compared run by run.
struct Draw {
  JitterOptions jitter = JitterOptions::none();
  std::uint32_t run = 0;

  // The jitter, without any where there is one run as it is modelled.
  JitterOptions options() const { return jitter.runs > 0 ? jitter : JitterOptions::none(); }
};

// What a run does to a task's time. The same task has the same factor under every order: it is known by its operator,
// number, expert, source and destination, not by its place in a queue.
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

// The same of a program on streams, where a task is known by its rank, its name, and how many of that name came before
// it there.
class StreamJitter final : public TaskHooks {
 public:
  StreamJitter(const StreamProgram& program, const JitterOptions& options, std::uint32_t run,
               std::uint32_t pass);
  double slowness(RankId rank, std::uint32_t task) override;

 private:
  std::vector<double> factors_;  // by task
};

// The machine of a run: the rates of L2, HBM, ports, puts and the host's collectives, each group with a factor of its
// own.
Experiment with_jitter(const Experiment& experiment, const JitterOptions& options, std::uint32_t run);

}  // namespace a3sim
