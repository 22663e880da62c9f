#pragma once

#include <vector>

#include "sim/experiment/step/step_program.h"

namespace a3sim {

// Tasks whose ends something waits for.
using AfterTasks = std::vector<std::uint32_t>;

// For whom a task is written.
struct ChunkWork {
  std::uint32_t stage = 0, chunk = kNone, micro_batch = kNone;
  bool backward = false;
  bool paired = false;        // beside another micro-batch's
  double slowness = 1;        // of its kernels, which leave some workers to exchanges
  bool weights_only = false;  // gradients of weights that were left for later
};

// Adds tasks to a step's program. Each function returns what must have ended for what follows.
class StepTasks {
 public:
  // Both must outlive it.
  StepTasks(const StepParts& parts, StepProgram& written);

  // Kernels of a part, with the TP and CP exchanges that go with them.
  AfterTasks compute(const ChunkWork& work, const char* name, const PartWork& part, AfterTasks after,
                     bool experts = false);
  // Rows to experts, or back.
  AfterTasks exchange(const ChunkWork& chunk_work, const char* name, const ExchangeWork& work,
                      AfterTasks after);
  // A chunk's activations, or their gradients, to the stage of the next one.
  AfterTasks send(const ChunkWork& work, std::uint32_t to_stage, AfterTasks after);
  // Bytes that a die sends in a ring of its DP peers: of parameters that all dies of a stage have, or of experts.
  AfterTasks ring(const ChunkWork& work, const char* name, double dense_bytes, double expert_bytes,
                  AfterTasks after);
  // A transfer between a die and its host.
  AfterTasks swap(const ChunkWork& work, bool in, double bytes, AfterTasks after);
  AfterTasks update(const ChunkWork& work, const MemoryJob& job, AfterTasks after);

  // Members of DP rings: of parameters that all dies of a stage have, and of experts.
  DieGroup dense_group() const { return {step_.dp * step_.cp, step_.tp}; }
  DieGroup expert_group() const;
  std::size_t count() const { return written_.tasks.size(); }

 private:
  StreamTask task(const ChunkWork& work, const char* name, StepStream stream, AfterTasks after) const;
  std::uint32_t add(StreamTask task, StepTask step_task);
  StepTask of_work(const ChunkWork& work, StepTask::Kind kind) const;
  // Exchanges of a TP or CP group.
  std::uint32_t group_exchange(const ChunkWork& work, const char* name, StepStream stream,
                               StepTask::Kind kind, DieGroup group, double sent, std::uint32_t calls,
                               const AfterTasks& after);
  std::uint32_t classes_of(const PartWork& part);

  const Experiment& experiment_;
  const StepOptions& step_;
  const StepParts& parts_;
  StepProgram& written_;
};

}  // namespace a3sim
