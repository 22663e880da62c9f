#include <catch2/catch.hpp>

#include "sim/search/search_report.h"
#include "tests/search/small_search.h"

using namespace a3sim;

namespace {

SearchOutcome outcome_of(const SearchProblem& problem, SearchOptions options, bool early_stop) {
  options.early_stop = early_stop;
  CandidateRuns runs(problem, 1, nullptr);
  return search(problem, options, runs);
}

}  // namespace

TEST_CASE("runs that are ended early never change what is found", "[slow]") {
  const SearchProblem moe(small_moe(), read_space(configs_folder() / "spaces" / "moe_ffn.yaml"));
  const SearchProblem tiles(small_swiglu_add({"order.vtq=[op, index]"}), space_of(kSlices), true);
  std::uint32_t stopped = 0;
  for (const SearchProblem* problem : {&moe, &tiles}) {
    for (const char* const method : {"evolve", "climb", "random"}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        INFO(problem->experiment().name << ' ' << method << " seed " << seed);
        const SearchOptions options = one_run(90, seed, method);
        const SearchOutcome whole = outcome_of(*problem, options, false);
        const SearchOutcome ended = outcome_of(*problem, options, true);
        CHECK(ended.winner().candidate == whole.winner().candidate);
        CHECK(ended.winner().number == whole.winner().number);
        CHECK(ended.curve == whole.curve);
        CHECK(whole.stopped == 0);
        stopped += ended.stopped;
      }
    }
  }
  CHECK(stopped > 100);  // so that there was something to change
}

TEST_CASE(
    "where passes are parts of their own, every run goes to its end: the other pass may be what is good") {
  const SearchProblem both(small_moe({"experiment.pass=both"}),
                           read_space(configs_folder() / "spaces" / "moe_ffn.yaml"));
  CHECK(outcome_of(both, one_run(60, 1), true).stopped == 0);
}

TEST_CASE("the front holds what nothing else beats in latency, vector cores and spread at once") {
  SearchOutcome outcome;
  const auto add = [&](double ms, std::uint32_t workers, double spread) {
    ScoredCandidate candidate;
    candidate.scores = {ms};
    candidate.latency_ms = ms;
    candidate.vector_workers = workers;
    candidate.spread = spread;
    outcome.candidates.push_back(candidate);
  };
  add(10, 48, 0.01);  // the fastest
  add(11, 48, 0.01);  // beaten
  add(12, 24, 0.02);  // fewest cores
  add(12, 48, 0.00);  // steadiest
  add(10, 48, 0.01);  // as the first
  outcome.candidates.push_back({});
  outcome.candidates.back().scores = {std::nullopt};  // did not run
  CHECK(front_of(outcome) == std::vector<std::size_t>{0, 2, 3});
}
