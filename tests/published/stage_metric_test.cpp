#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

// The mean was once over one rank more than there are.
TEST_CASE("The stage of an operator is its mean over the ranks that have it") {
  const Experiment experiment =
      load_experiment(configs_folder() / "experiments" / "ascend950_layer.yaml", {});
  const auto work = experiment.work->prepare(experiment, 1);
  const std::vector<RunOutcome> outcomes = work->run_all(experiment, Record::kTrace, 1);
  const Trace& trace = *outcomes.front().trace;
  double sum = 0;
  for (const auto& rank : trace.ranks) {  // from the launch on, as nothing runs before
    Duration last{};
    for (const TraceTask& task : rank)
      if (trace.operators[task.op].name == "Receive") last = std::max(last, task.end);
    REQUIRE(last > Duration::zero());
    sum += static_cast<double>(last.count());
  }
  const PassAnalysis analysis(outcomes.front(), Duration::zero());
  const MetricAmount stage = Metrics::get("stage").of_operator(analysis, "Quantize to Receive");
  CHECK(stage.count == static_cast<double>(trace.ranks.size()));
  CHECK(stage.part == Approx(sum));
}

}  // namespace
}  // namespace a3sim
