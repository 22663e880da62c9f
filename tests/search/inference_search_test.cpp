#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/run/run_outcome.h"
#include "tests/search/small_search.h"

namespace a3sim {
namespace {

using Catch::Contains;

Experiment small_decode(std::vector<std::string> more = {}) {
  std::vector<std::string> set{"model.layers=[embedding, 2 moe, head]", "parallel.ep=8", "inference.drafts=0",
                               "inference.accepted=0", "inference.over_capacity=true"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "decode_deepseek_v3.yaml", set);
}

Duration time_of(const Experiment& experiment) {
  const auto work = experiment.work->prepare(experiment, 1);
  return work->run_all(experiment, Record::kLatency, 1).front().latency;
}

constexpr const char* kShares = R"(
space:
  workloads: []
  decisions:
    micro_batches: {key: inference.micro_batches, values: [2]}
    core_share: {key: inference.core_share, values: [0.5]}
    path: {list: {host: {experiment.execution: kernel, experiment.communication: collective}}}
)";

TEST_CASE("A search over settings of a step of inference finds what a full run of each of them finds") {
  const Experiment experiment = small_decode();
  const SearchProblem problem(experiment, space_of(kShares));
  CHECK_FALSE(problem.orders());
  CandidateRuns runs(problem, 1, nullptr);
  const SearchOutcome outcome = search(problem, one_run(16, 1), runs);
  Duration best = Duration::max();
  for (const char* const parts : {"1", "2"})
    for (const char* const share : {"1", "0.5"})
      for (const bool host : {false, true}) {
        std::vector<std::string> set{std::string("inference.micro_batches=") + parts,
                                     std::string("inference.core_share=") + share};
        if (host)
          set.insert(set.end(), {"experiment.execution=kernel", "experiment.communication=collective"});
        best = std::min(best, time_of(small_decode(set)));
      }
  CHECK(*outcome.winner().scores.back() == Approx(seconds(best) / seconds(time_of(experiment))));
  CHECK(outcome.starts.front().name == "the configuration");
  // What is found is an experiment that takes as long as it says.
  const Experiment found =
      runs.experiment(outcome.winner().candidate, outcome.ladder.back().scenarios.front());
  CHECK(time_of(found) == best);
}

TEST_CASE("Sort keys are no settings of a step of inference") {
  CHECK_THROWS_WITH(SearchProblem(small_decode(), space_of(kSlices)), Contains("kernels on streams"));
}

}  // namespace
}  // namespace a3sim
