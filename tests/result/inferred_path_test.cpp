#include "traces/analysis/inferred_path.h"

#include <catch2/catch.hpp>

#include "sim/diagnosis/observe/trace_observation.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"
#include "tests/few.h"
#include "traces/analysis/explanation.h"

namespace a3sim {
namespace {

// The part of a pass in which both paths are at the same operator of the same rank; the host's part of the exact one
// counts with the operator that it launches.
struct Agreement {
  double operators = 0, ranks = 0;
};

Agreement agreement(const Trace& trace, const CriticalPath& exact,
                    const std::vector<InferredStretch>& inferred, const std::vector<std::string>& names) {
  Agreement agreed;
  const auto makespan = static_cast<double>(trace.makespan.count());
  std::size_t at = 0;
  for (const PathSegment& segment : exact.segments) {
    Duration from = segment.from;
    while (from < segment.to) {
      while (at < inferred.size() && inferred[at].to <= from) ++at;
      if (at == inferred.size()) break;
      const Duration to = std::min(segment.to, inferred[at].to);
      if (inferred[at].from <= from && names[inferred[at].op] == trace.operators[segment.op].name) {
        agreed.operators += static_cast<double>((to - from).count()) / makespan;
        if (segment.task == kNoTask || segment.task.rank == inferred[at].rank)
          agreed.ranks += static_cast<double>((to - from).count()) / makespan;
      }
      from = std::max(to, std::min(segment.to, inferred[at].from));
    }
  }
  return agreed;
}

}  // namespace

// Where kernels overlap, as tiles and puts do, records of whole operators cannot say where the path is.
TEST_CASE("an inferred critical path is where the exact one is, of kernels one after the other") {
  for (const std::string ep : few(1, {"4", "8"})) {
    for (const std::string skew : {"0", "0.6"}) {
      std::vector<std::string> set{"experiment.execution=kernel", "experiment.communication=collective",
                                   "parallel.ep=" + ep};
      if (skew != "0") set.push_back("routing={kind: sampled, seed: 3, skew: " + skew + "}");
      const Experiment experiment = load_experiment(configs_folder() / "experiments/ep4.yaml", set);
      for (const PassResult& pass : run_experiment(experiment, true)) {
        const std::vector<TracedPass> traced{{"pass", trace_of(experiment, pass)}};
        const Trace& trace = traced.front().trace;
        const TraceObservation of(traced, {});
        const InferredPath path = inferred_path(of.full(0));
        CHECK(path.sure());
        const Agreement agreed = agreement(trace, explain(trace).path, path.stretches, of.names());
        CHECK(agreed.operators >= 0.95);
        if (skew != "0") CHECK(agreed.ranks >= 0.95);  // of equal ranks any one may be the last
      }
    }
  }
}

TEST_CASE("an inferred critical path says where operators overlap, so that it is not known") {
  for (const char* execution : {"static", "dynamic"}) {
    const std::vector<std::string> set{std::string("experiment.execution=") + execution};
    const Experiment experiment = load_experiment(configs_folder() / "experiments/ep4.yaml", set);
    for (const PassResult& pass : run_experiment(experiment, true)) {
      const std::vector<TracedPass> traced{{"pass", trace_of(experiment, pass)}};
      CHECK_FALSE(inferred_path(TraceObservation(traced, {}).full(0)).sure());
    }
  }
}

}  // namespace a3sim
