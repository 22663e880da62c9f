#include "sim/study/summary/traced_passes.h"

#include "sim/experiment/run_experiment.h"
#include "sim/study/summary/run_trace.h"

namespace a3sim {

std::vector<TracedPass> traced_passes(const Experiment& experiment, unsigned threads) {
  const std::vector<PassResult> passes =
      run_compiled(experiment, compile_all(experiment, threads), true, backend_of(experiment), threads);
  std::vector<Trace> traces = traces_of(experiment, passes);
  std::vector<TracedPass> traced;
  for (std::size_t pass = 0; pass < passes.size(); ++pass)
    traced.push_back({passes[pass].name, std::move(traces[pass])});
  return traced;
}

}  // namespace a3sim
