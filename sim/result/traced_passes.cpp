#include "sim/result/traced_passes.h"

#include "sim/experiment/run/run_outcome.h"

namespace a3sim {

std::vector<TracedPass> traced_passes(const Experiment& experiment, unsigned threads) {
  const std::shared_ptr<const PreparedWork> work = experiment.work->prepare(experiment, threads);
  std::vector<TracedPass> traced;
  for (RunOutcome& pass : work->run_all(experiment, Record::kTrace, threads))
    traced.push_back({std::move(pass.name), std::move(*pass.trace)});
  return traced;
}

}  // namespace a3sim
