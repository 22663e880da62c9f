#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/search/candidate_runs.h"
#include "sim/study/search/search_problem.h"
#include "sim/study/search/search_scenario.h"
#include "sim/study/search/stage_reference.h"

namespace a3sim {

struct SearchOptions {
  std::uint32_t budget = 300;  // candidates, of which only the better ones climb the ladder
  std::uint64_t seed = 1;
  SearchObjective objective = SearchObjective::kMean;
  std::string method = "evolve";  // a registered Proposer
  ScenarioDraws draws{};
  std::vector<NamedSettings>
      over;              // scenarios in place of the space's, which one order is to serve; none: the space's
  unsigned threads = 1;  // the result does not depend on it
  // Ends runs of candidates that nothing follows from any more: under the objective `one`, of a single part. What is
  // found does not depend on it.
  bool early_stop = true;
  std::uint32_t moves = 0;  // of runs of tasks in the winner's queues, tried after the search (list_stage.h)
};

// A candidate that has run. Scores are ratios to the best order to start from in each run: below 1 is faster.
struct ScoredCandidate {
  Candidate candidate;
  std::uint32_t number = 0;  // in the order of proposals, from 1; 0: an order to start from
  std::vector<std::optional<double>>
      scores{};                     // by stage of the ladder; none: it did not get there, or was refused
  std::vector<double> parts{};      // of the last stage's mean, what each part of the problem adds
  double worst = 0;                 // of the last stage's scenarios
  std::vector<double> scenarios{};  // of the last stage: the mean ratio in each that counts
  double latency_ms = 0;            // of the last stage: the mean of its scenarios
  double spread = 0;                // likewise: of the latencies' range over draws, in parts of their mean
  std::uint32_t vector_workers = 0;
  std::string refused{};  // why it was, where nothing ran
  bool stopped = false;   // its run in the last stage was ended: too slow to be of interest
  bool finished() const { return scores.back().has_value(); }
};

// Writes down what runs of the last stage came to, where they have ended.
void take_runs(ScoredCandidate& scored, const StageReference& reference,
               const std::vector<CandidateOutcome>& outcomes, SearchObjective objective);

// How well a stage's scores tell those of the next.
struct RungCorrelation {
  std::string lower, upper;
  std::size_t candidates = 0;
  double rank_correlation = 0;  // Spearman's
  bool skipped = false;         // too little: the lower one was left out from then on
};

// An order to start from, in the last stage of the ladder.
struct StartScore {
  std::string name;
  std::string refused;
  double score = 0;
};

// What the search has found.
struct SearchOutcome {
  std::vector<SearchStage> ladder;
  std::vector<StartScore> starts;
  std::size_t reference = 0;                // the best of them
  std::vector<ScoredCandidate> candidates;  // all that ran, in the order of proposals, sorted starts first
  std::size_t best = 0;                     // of the candidates
  StageReference reference_runs;            // the starts in the last stage
  std::vector<RungCorrelation> correlations;
  std::uint32_t proposed = 0, refused = 0;  // candidates; those that the experiment does not allow
  std::uint32_t stopped = 0;                // those whose last run was ended
  std::vector<double> curve;                // by candidate: the best score of the last stage until then
  double seconds = 0;

  const ScoredCandidate& winner() const { return candidates[best]; }
  double trained() const { return 1 - *winner().scores.back(); }
};

// Searches. Throws InputError for a space without choices, and for an experiment that no order fits.
SearchOutcome search(const SearchProblem& problem, const SearchOptions& options, CandidateRuns& runs);

}  // namespace a3sim
