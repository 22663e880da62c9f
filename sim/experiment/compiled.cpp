#include "sim/experiment/compiled.h"

#include <numeric>

#include "sim/network/network.h"

namespace a3sim {

Compiled compile_all(const Experiment& experiment) {
  Compiled compiled{routing_of(experiment), {}};
  const RoutingCounts capacity = capacity_of(experiment, compiled.counts);
  for (const Pass& pass : experiment.passes)
    compiled.passes.push_back(compile_pass(experiment, pass, capacity).schedule);
  return compiled;
}

RunResult run_pass(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                   const RunOptions& options) {
  return run_schedule(compiled.passes[pass], compiled.counts, experiment.hardware,
                      backend_in_threads(experiment), options);
}

Duration total_of(std::span<const Duration> passes) {
  return std::accumulate(passes.begin(), passes.end(), Duration::zero());
}

}  // namespace a3sim
