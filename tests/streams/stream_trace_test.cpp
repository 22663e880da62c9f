#include "sim/experiment/outcome/stream_trace.h"

#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_outcome.h"
#include "traces/analysis/critical_path.h"

namespace a3sim {
namespace {

TEST_CASE("What the latency of a micro-batch waited for has no gaps and sums to it, by every method") {
  const std::string ranks = "ranks={start: {1: 2 ms}, clock: {2: 0.7}}";
  for (const auto& [method, item] : Methods::all()) {
    std::vector<std::string> with{"network.backend=native", "experiment.method=" + method};
    if (method == "feplb") with.push_back(ranks);
    const Experiment experiment = load_experiment(configs_folder() / "experiments" / "feplb.yaml", with);
    const auto work = experiment.work->prepare(experiment, 1);
    for (const RunOutcome& pass : work->run_all(experiment, Record::kTrace, 1)) {
      INFO(method << ' ' << pass.name);
      const CriticalPath path = critical_path(Causes(*pass.trace));
      Duration until{};
      for (const PathSegment& segment : path.segments) {
        CHECK(segment.from == until);
        CHECK(segment.to > segment.from);
        until = segment.to;
      }
      CHECK(until == pass.latency);
      CHECK(pass.trace->latency() == pass.latency);
      if (method != "feplb") continue;
      CHECK(pass.trace->starts[1] == 2000_us);
      for (const TraceTask& task : pass.trace->ranks[1]) CHECK(task.start >= 2000_us);
    }
  }
}

TEST_CASE("A method of micro-batches is refused unless they run on streams") {
  const std::filesystem::path file = configs_folder() / "experiments" / "feplb.yaml";
  CHECK_THROWS_WITH(
      load_experiment(file, std::vector<std::string>{"experiment.execution=static"}),
      Catch::Contains("experiment.execution: experiment.method shares out micro-batches on streams"));
}

}  // namespace
}  // namespace a3sim
