#include "sim/experiment/shared_schedules.h"

#include <algorithm>

#include "sim/network/network.h"

namespace a3sim {

bool SharedSchedules::fits(const Experiment& experiment, const CompileOptions& options) const {
  return options == options_ &&
         std::ranges::equal(experiment.passes, passes_, [](const Pass& a, const Pass& b) {
           return a.name == b.name && a.graph == b.graph;
         });
}

void SharedSchedules::compile_all_passes(const Experiment& experiment, const CompileOptions& options) {
  results_.clear();  // before the new ones need its memory
  passes_.clear();
  for (const Pass& pass : experiment.passes) {
    PassResult& result = results_.emplace_back();
    result.name = pass.name;
    result.schedule = compile_pass(experiment, pass, options.capacity).schedule;
  }
  passes_ = experiment.passes;  // not before all of them have been compiled
  options_ = options;
  ++compiled_;
}

std::span<const PassResult> SharedSchedules::run(const Experiment& experiment, bool record) {
  const RoutingCounts counts = routing_of(experiment);
  const CompileOptions options = compile_options(experiment, capacity_of(experiment, counts));
  if (!fits(experiment, options)) compile_all_passes(experiment, options);
  const RunOptions running = options_of(experiment, record);
  for (PassResult& result : results_) {
    result.run = {};
    result.run = run_schedule(result.schedule, counts, experiment.hardware, backend_of(experiment), running);
    result.bounds = lower_bounds(result.schedule, counts, experiment.hardware, running);
  }
  return results_;
}

}  // namespace a3sim
