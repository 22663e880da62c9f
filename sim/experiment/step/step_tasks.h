#pragma once

#include <span>
#include <vector>

#include "sim/experiment/step/stage_cables.h"
#include "sim/experiment/step/step_program.h"

namespace a3sim {

// Tasks that must end before something else begins.
using AfterTasks = std::vector<std::uint32_t>;

// Says what a task is written for.
struct ChunkWork {
  std::uint32_t stage = 0, chunk = kNone, micro_batch = kNone;
  bool backward = false;
  bool paired = false;        // it runs beside another micro-batch's work
  double slowness = 1;        // factor for its kernels, which leave some workers to exchanges
  bool weights_only = false;  // it computes gradients of weights that were left for later
  std::uint32_t layer = 0;    // number of the block among those of the model
};

// Adds tasks to a step's program. Each function returns the tasks that must end before what follows.
class StepTasks {
 public:
  // Both arguments must outlive it.
  StepTasks(const StepParts& parts, StepProgram& written);

  // Adds the kernels of a part, with their TP and CP exchanges.
  AfterTasks compute(const ChunkWork& work, const char* name, const PartWork& part, AfterTasks after,
                     bool experts = false);
  // Adds the exchange that brings rows to experts, or back. `counted`: how many rows go where was not known before, so that
  // a host that reads counts waits for what comes before the exchange.
  AfterTasks exchange(const ChunkWork& chunk_work, const char* name, const ExchangeWork& work,
                      AfterTasks after, bool counted = false);
  // Sends a chunk's activations, or their gradients, to the stage of the next chunk.
  AfterTasks send(const ChunkWork& work, std::uint32_t to_stage, AfterTasks after);
  // A tensor of so many bytes that goes round a group of dies.
  struct Ring {
    DieGroup group;
    double bytes = 0;
  };
  // Adds rings of the die's DP peers, which run beside one another.
  AfterTasks ring(const ChunkWork& work, const char* name, StepStream stream, std::span<const Ring> rings,
                  AfterTasks after);
  // Adds a transfer between a die and its host.
  AfterTasks swap(const ChunkWork& work, bool in, double bytes, AfterTasks after);
  AfterTasks update(const ChunkWork& work, const MemoryJob& job, AfterTasks after);

  // These return the dies over which parameters are spread: those that all dies of a stage have, and those of
  // experts.
  DieGroup dense_group() const { return {step_.shards(), step_.tp}; }
  DieGroup expert_group() const;
  // Returns the dies that hold the same part as a die of the group, one per replica.
  DieGroup across(DieGroup group) const { return {step_.replicas, group.ranks * group.stride}; }
  // Returns the dies that hold the same chunks of all copies of the model as a die of the stage.
  DieGroup copies_of(std::uint32_t stage) const;
  std::size_t count() const { return written_.tasks.size(); }
  // Writes which cables transfers share, once all tasks are there.
  void share_cables();
  // The cable that held exchanges up most.
  const StageCables::Hold& cable_hold() const { return cables_.hold(); }
  // The cable that takes longest for all that was written.
  StageCables::Load fullest_cable() const { return cables_.fullest(); }

 private:
  StreamTask task(const ChunkWork& work, const char* name, StepStream stream, AfterTasks after) const;
  // `ways`: the way of each transfer over cables (StageCables); empty: none.
  std::uint32_t add(StreamTask task, StepTask step_task, std::vector<std::uint32_t> ways = {});
  StepTask of_work(const ChunkWork& work, StepTask::Kind kind) const;
  // Adds the exchanges of a TP or CP group.
  std::uint32_t group_exchange(const ChunkWork& work, const char* name, StepStream stream,
                               StepTask::Kind kind, DieGroup group, double sent, std::uint32_t calls,
                               AfterTasks after);
  std::uint32_t classes_of(const PartWork& part);
  // Add a part's kernels; the host's time; both, where the host takes any.
  std::uint32_t kernels(const ChunkWork& work, const char* name, const PartWork& part, AfterTasks after,
                        bool experts);
  std::uint32_t host(const ChunkWork& work, Duration hold, AfterTasks after);
  void launched_kernels(const ChunkWork& work, const char* name, const PartWork& part, AfterTasks after,
                        bool experts, AfterTasks& ends);

  const Experiment& experiment_;
  const StepOptions& step_;
  const StepParts& parts_;
  StepProgram& written_;
  StageCables cables_;
};

}  // namespace a3sim
