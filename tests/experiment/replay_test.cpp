#include "sim/compare/runs/replay.h"

#include <catch2/catch.hpp>

#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

namespace {

std::vector<CompiledPass> compiled_for(const Experiment& experiment, const RoutingCounts& counts) {
  std::vector<CompiledPass> compiled;
  for (const Pass& pass : experiment.passes)
    compiled.push_back({pass.name, compile_pass(experiment, pass, counts).schedule});
  return compiled;
}

}  // namespace

TEST_CASE("a schedule that is replayed under the routing that it was compiled for takes as long") {
  const Experiment experiment = small({"routing.kind=sampled", "routing.skew=0.8"});
  const RoutingCounts counts = routing_of(experiment);
  const std::vector<NamedRouting> routings{{"its own", counts}};
  for (const Replayed& replayed : replay(experiment, compiled_for(experiment, counts), routings, 1)) {
    CHECK(replayed.replayed == replayed.recompiled);
    CHECK(replayed.replayed_lag == replayed.recompiled_lag);
    CHECK(replayed.empty_puts == 0);
    CHECK(replayed.replayed >= replayed.bounds.largest());
  }
}

TEST_CASE("the straggler's time counts from when half of the ranks have ended") {
  const Experiment experiment = small({"routing.kind=sampled", "routing.skew=0.8"});
  const RoutingCounts counts = routing_of(experiment);
  const Compiled compiled = compile_all(experiment);
  const std::vector<NamedRouting> routings{{"skewed", counts}};
  const std::vector<Replayed> replayed = replay(experiment, compiled_for(experiment, counts), routings, 1);
  REQUIRE(replayed.size() == experiment.passes.size());
  for (std::size_t p = 0; p < replayed.size(); ++p) {
    const RunResult run = run_pass(experiment, compiled, p, options_of(experiment, false));
    std::vector<Duration> ends;
    for (const RankResult& rank : run.ranks) ends.push_back(rank.end);
    std::sort(ends.begin(), ends.end());
    CHECK(replayed[p].recompiled_lag == ends.back() - ends[(ends.size() - 1) / 2]);
    CHECK(replayed[p].recompiled_lag > Duration::zero());
  }
}
