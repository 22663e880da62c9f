#include "tests/invariants/observed_run.h"

#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

class Counting final : public TaskHooks {
 public:
  Counting(CountedPass& pass, const Schedule& schedule) : pass_(pass) {
    for (const Ssc& ssc : schedule) {
      pass_.started.emplace_back(ssc.tasks().size(), 0);
      pass_.ended.emplace_back(ssc.tasks().size(), 0);
    }
  }
  void started(RankId rank, std::uint32_t task) override { ++pass_.started[index(rank)][task]; }
  void ended(RankId rank, std::uint32_t task) override { ++pass_.ended[index(rank)][task]; }

 private:
  CountedPass& pass_;
};

}  // namespace

CountedPass observe(const Experiment& experiment, const std::string& name, Schedule schedule,
                    const RoutingCounts& counts, const NetworkBackend& backend) {
  CountedPass pass;
  Counting counting(pass, schedule);
  RunOptions options = options_of(experiment, true);
  options.hooks = &counting;
  pass.result.name = name;
  pass.result.run = run_schedule(schedule, counts, experiment.hardware, experiment.program, backend, options);
  pass.result.bounds = lower_bounds(schedule, counts, experiment.hardware, experiment.program, options);
  pass.result.schedule = std::move(schedule);
  return pass;
}

CountedRun observe(const RandomConfig& config) {
  CountedRun run;
  run.experiment = experiment_of(config);
  run.counts = routing_of(run.experiment);
  const RoutingCounts capacity = capacity_of(run.experiment, run.counts);
  for (const Pass& pass : run.experiment.passes) {
    run.passes.push_back(observe(run.experiment, pass.name,
                                 compile_pass(run.experiment, pass, capacity).schedule, run.counts,
                                 backend_of(run.experiment)));
  }
  return run;
}

}  // namespace a3sim
