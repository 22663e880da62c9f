#include "sim/study/search/search.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/statistics.h"
#include "sim/study/search/method_study.h"
#include "sim/study/search/search_report.h"
#include "tests/search/small_search.h"

using namespace a3sim;

namespace {

// All candidates of a space with one open queue of three terms.
std::vector<Candidate> enumerated(const SearchProblem& problem) {
  std::vector<Candidate> all;
  const std::size_t queue = problem.queue(0, 1);
  const std::vector<KeyTerm>& terms = problem.space().terms[1];
  Candidate candidate = problem.from_start(0);
  candidate.queues[queue] = {0, {0, 1, 2}, {0, 0, 0}};
  QueueGenes& genes = candidate.queues[queue];
  const auto keys = [&](std::size_t term) { return static_cast<std::uint8_t>(terms[term].keys.size()); };
  do {
    for (std::uint8_t a = 0; a < keys(0); ++a) {
      for (std::uint8_t b = 0; b < keys(1); ++b) {
        for (std::uint8_t c = 0; c < keys(2); ++c) {
          for (std::uint8_t shared = 0; shared < 2; ++shared) {
            genes.picks = {a, b, c};
            candidate.settings = {shared};
            all.push_back(candidate);
          }
        }
      }
    }
  } while (std::ranges::next_permutation(genes.sequence).found);
  return all;
}

double least_of_all(const SearchProblem& problem) {
  CandidateRuns runs(problem, 1, nullptr);
  const SearchStage stage = ladder_of(problem, SearchObjective::kOne, {}, 1).back();
  const StageReference reference(problem, stage, runs);
  double least = 2;
  for (const auto& outcomes : runs.run(enumerated(problem), stage)) {
    if (const auto ratios = reference.ratios(outcomes))
      least = std::min(least, score_of(*ratios, SearchObjective::kOne));
  }
  return least;
}

}  // namespace

TEST_CASE("the best of all orders of a small taskflow is found from a serial one, whatever the seed") {
  const SearchProblem problem(small_swiglu_add({"order.vtq=[op, index]"}), space_of(kSlices), true);
  const double least = least_of_all(problem);
  REQUIRE(least < 0.99);  // there is something to find
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    CHECK(least_score(problem, one_run(400, seed)) == least);
  }
}

TEST_CASE("where nothing is to be gained, no gain is claimed") {
  const SearchProblem problem(small_swiglu_add({"order.vtq=[op * 1000 + index]"}), space_of(R"(
space:
  workloads: []
  queues:
    vtq:
      tile: [op * 1000 + index, op * 2000 + 2 * index, op * 500 + index]
)"),
                              true);
  const SearchOptions options = one_run(30, 1);
  CandidateRuns runs(problem, 1, nullptr);
  const SearchFindings findings = search_and_explain(problem, options, runs);
  CHECK_FALSE(findings.gained());
  CHECK(search_report(problem, options, findings).text().find("Nothing faster") != std::string::npos);
}

TEST_CASE(
    "a gain whose interval holds zero where nothing was trained is not claimed, but for the objective "
    "`one`") {
  SearchFindings findings{};
  ScoredCandidate winner{.candidate = {}, .number = 7};
  winner.scores = {0.98};
  findings.outcome.candidates = {winner};
  SearchOptions mean, one;
  one.objective = SearchObjective::kOne;
  findings.held_out = {{}, 0.01, 0.002, 0.018};
  CHECK(findings.holds(mean));
  findings.held_out.low = -0.001;
  CHECK_FALSE(findings.holds(mean));
  CHECK(findings.holds(one));
  HeldOutScenario some, more;
  some.gain = 0.06, more.gain = 0.25;
  findings.held_out = {{some, more}, 0.155, -0.02, 0.33};  // both gain, by unlike amounts
  CHECK(findings.holds(mean));
  findings.held_out.scenarios.front().gain = -0.01;
  CHECK_FALSE(findings.holds(mean));
  findings.outcome.candidates.front().scores = {1.0};
  CHECK_FALSE(findings.holds(one));
}

TEST_CASE("what does not hold is said, and the best shipped order stands") {
  // Trained where the L2 is cold, one order of the tiles gains what it loses where it is judged.
  const SearchProblem problem(small_swiglu_add({"order.vtq=[op * 1000 + index]"}), space_of(R"(
space:
  workloads: []
  queues:
    vtq:
      tile: [op * 1000 + index, floor(index / 8) * 1000 + op * 100 + index]
  training:
    as_configured: {}
  held_out:
    large_l2: {hardware.memory.l2_size: {value: 192 MiB, source: large}}
    larger_l2: {hardware.memory.l2_size: {value: 384 MiB, source: larger}}
)"),
                              true);
  SearchOptions options;
  options.budget = 4;
  CandidateRuns runs(problem, 1, nullptr);
  const SearchFindings findings = search_and_explain(problem, options, runs);
  REQUIRE(findings.gained());
  CHECK(findings.held_out.low <= 0);
  CHECK(findings.stated == problem.from_start(0));
  CHECK(search_report(problem, options, findings).text().find("Nothing to gain that holds") !=
        std::string::npos);
}

TEST_CASE("a rung that does not rank as the next stage does is left out from then on") {
  const auto correlations = [](const char* rung) {
    const SearchProblem problem(small_swiglu_add({"order.vtq=[op, index]"}),
                                space_of(std::string(kSlices) + "  rungs:\n    rung: " + rung + '\n'), true);
    CandidateRuns runs(problem, 1, nullptr);
    return search(problem, one_run(60, 1), runs).correlations;
  };
  const auto same = correlations("{experiment.poll.aiv: 10 ns}"),
             other = correlations("{swiglu_add.tiles: 2}");
  REQUIRE(same.size() == 1);
  CHECK(same.front().rank_correlation >= 0.7);
  CHECK_FALSE(same.front().skipped);
  REQUIRE(other.size() == 1);
  CHECK(other.front().rank_correlation < 0.7);
  CHECK(other.front().skipped);
}

TEST_CASE("at equal budget evolution finds more than random draws and than climbing in the mean of ten seeds",
          "[slow]") {
  const SearchProblem problem(small_moe(), read_space(configs_folder() / "spaces" / "moe_ffn.yaml"), false);
  CandidateRuns runs(problem, 1, nullptr);
  const MethodStudy study = compare_methods(problem, one_run(100, 1), 10, runs);
  const auto curve = [&](const char* method) {
    return *std::ranges::find(study.curves, method, &MethodCurve::method);
  };
  const MethodCurve evolve = curve("evolve"), random = curve("random"), climb = curve("climb");
  CHECK(study.budgets == std::vector<std::uint32_t>{12, 25, 50, 100});
  CHECK(evolve.no_worse_than_random >= 9);
  for (std::size_t b = 0; b < study.budgets.size(); ++b) CHECK(evolve.gains[b] > random.gains[b]);
  CHECK(evolve.gains.back() > climb.gains.back());
  for (const MethodCurve& one : study.curves) {
    CHECK(std::ranges::is_sorted(one.gains));
    CHECK(one.gains.back() == Approx(arithmetic_mean(one.by_seed)));
  }
}

TEST_CASE("results do not depend on the number of threads") {
  const SearchProblem problem(small_moe({"experiment.pass=both"}),
                              read_space(configs_folder() / "spaces" / "moe_ffn.yaml"));
  const auto text = [&](unsigned threads) {
    SearchOptions options;
    options.budget = 40;
    options.threads = threads;
    options.draws = {1, 1};
    CandidateRuns runs(problem, threads, nullptr);
    const SearchFindings findings = search_and_explain(problem, options, runs);
    return search_report(problem, options, findings).text();
  };
  CHECK(text(1) == text(3));
}

TEST_CASE("a scenario in which an order loses more than a hundredth outweighs any mean") {
  const std::vector<std::vector<double>> even{{0.99}, {1.0}}, mixed{{0.5}, {1.02}};
  CHECK(score_of(even, SearchObjective::kMean) == Approx(0.995));
  CHECK(score_of(mixed, SearchObjective::kMean) > score_of({{1.0}, {1.0}}, SearchObjective::kMean));
  CHECK(score_of(mixed, SearchObjective::kOne) == Approx((0.5 + 1.02) / 2));
}
