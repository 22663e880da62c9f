#pragma once

#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// The schedules of a pass, of all ranks. Copies share the bytes.
struct CompiledPass {
  std::string name;
  Schedule schedule;
};

// An experiment compiled once for one routing, to be run many times, also on machines that differ.
struct Compiled {
  RoutingCounts counts;
  std::vector<CompiledPass> passes;  // in the experiment's order
};

// Compiles all passes, for the experiment's own routing or another one. Compiles passes in parallel; the
// result does not depend on the number of threads. Throws InputError for work without schedules, for a
// routing above the bucket, for an order that cannot be kept, and for passes too large for the memory.
Compiled compile_all(const Experiment& experiment, unsigned threads = 1);
Compiled compile_all(const Experiment& experiment, RoutingCounts counts, unsigned threads = 1);

// Compiles one pass for all ranks, for the bucket of `capacity`, and returns all that the compiler says about
// it.
Compilation compile_pass(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity);

// Returns the schedules of all ranks of a pass, even if a few represent them.
Schedule whole_schedule(const Experiment& experiment, const Compiled& compiled, std::size_t pass);

// Returns the bytes of all tensors of the rank that has the most.
std::uint64_t largest_tensors(const Schedule& schedule);

// Returns everything that decides a pass's schedule, apart from its graph.
CompileOptions compile_options(const Experiment& experiment, const RoutingCounts& capacity);

// Compiles experiments one after another. Keeps the last one's schedules if the next has equal graphs and
// equal CompileOptions.
class CompileCache {
 public:
  // Does the same as compile_all(). The result is valid until the next call.
  const Compiled& compile(const Experiment& experiment);
  std::size_t compilations() const { return compilations_; }

 private:
  bool fits(const Experiment& experiment, const CompileOptions& options) const;

  CompileOptions options_;  // options of the last compilation
  std::vector<Pass> passes_;
  Compiled compiled_;
  std::size_t compilations_ = 0;
};

}  // namespace a3sim
