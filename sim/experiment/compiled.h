#pragma once

#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// A pass's schedules of all ranks. Copies share the bytes.
struct CompiledPass {
  std::string name;
  Schedule schedule;
};

// An experiment compiled once for one routing, to be run many times, also on machines that differ.
struct Compiled {
  RoutingCounts counts;
  std::vector<CompiledPass> passes;  // as in the experiment
};

// For the experiment's own routing, or another one; passes beside one another in so many threads; the result does
// not depend on their number. Throws InputError for work without schedules, a routing above the bucket, an order that
// cannot be kept, and passes too large to hold.
Compiled compile_all(const Experiment& experiment, unsigned threads = 1);
Compiled compile_all(const Experiment& experiment, RoutingCounts counts, unsigned threads = 1);

// One pass, of all ranks, for the bucket of `capacity`, with all that the compiler says about it.
Compilation compile_pass(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity);

// The schedules of all ranks of a pass, also where a few stand for them.
Schedule whole_schedule(const Experiment& experiment, const Compiled& compiled, std::size_t pass);

// The bytes of all tensors of a rank, of the rank that has the most.
std::uint64_t largest_tensors(const Schedule& schedule);

// All that a pass's schedule follows from, beside its graph.
CompileOptions compile_options(const Experiment& experiment, const RoutingCounts& capacity);

// Compiles experiments one after the other, and only where the one before leaves no schedules that are the
// same: those of equal graphs under equal CompileOptions.
class CompileCache {
 public:
  // As compile_all(). It stands until the next one.
  const Compiled& compile(const Experiment& experiment);
  std::size_t compilations() const { return compilations_; }

 private:
  bool fits(const Experiment& experiment, const CompileOptions& options) const;

  CompileOptions options_;  // of the last
  std::vector<Pass> passes_;
  Compiled compiled_;
  std::size_t compilations_ = 0;
};

}  // namespace a3sim
