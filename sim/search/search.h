#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/search/candidate_runs.h"
#include "sim/search/proposer.h"
#include "sim/search/search_problem.h"
#include "sim/search/search_scenario.h"
#include "sim/search/stage_reference.h"

namespace a3sim {

struct SearchOutcome;

struct SearchOptions {
  std::uint32_t budget = 300;  // candidates; only the better ones climb the ladder
  std::uint64_t seed = 1;
  SearchObjective objective = SearchObjective::kMean;
  std::string method = "evolve";  // a registered Proposer
  ScenarioDraws draws{};
  std::vector<NamedSettings> over;  // scenarios that one order should serve; empty: the space's
  unsigned threads = 1;             // the result does not depend on it
  // Ends runs of candidates that cannot matter any more, under the objective `one`, if there is one part.
  // Does not change the result.
  bool early_stop = true;
  std::uint32_t moves = 0;  // of runs of tasks in the winner's queues, tried after the search (list_stage.h)
  // Told what is known after the orders to start from, and after each generation; best is of those.
  std::function<void(const SearchOutcome&)> seen{};
  // Told what has been found, before search_and_explain() judges it.
  std::function<void(const SearchOutcome&)> found{};
};

// A candidate that has run. Scores are ratios to the best start in each run: below 1 is faster.
struct ScoredCandidate {
  Candidate candidate;
  std::uint32_t number = 0;  // in the order of proposals, from 1; 0: a start
  std::size_t way = 0;       // position in SearchOutcome::ways, if it is no start
  Lineage lineage = Lineage::kStart;
  std::optional<std::size_t> changed{};  // position of the candidate that it changes
  // One per stage of the ladder. nullopt: it did not get there, or was refused.
  std::vector<std::optional<double>> scores{};
  // For each stage, the contribution of each part of the problem to its mean. Empty where it has no score.
  std::vector<std::vector<double>> parts{};
  double worst = 0;                 // over the last stage's scenarios
  std::vector<double> scenarios{};  // of the last stage: mean ratio of each that counts
  double latency_ms = 0;            // of the last stage: mean over its scenarios
  double spread = 0;  // of the last stage: range of latencies over draws, as a part of their mean
  std::uint32_t vector_workers = 0;
  std::string refused{};  // why nothing ran; else empty
  bool stopped = false;   // its last run was ended early, too slow to be of interest
  bool finished() const { return scores.back().has_value(); }
};

// Takes the results of runs of the last stage into `scored`.
void take_runs(ScoredCandidate& scored, const StageReference& reference,
               const std::vector<CandidateOutcome>& outcomes, SearchObjective objective);

// The correlation of a stage's scores with those of the next.
struct RungCorrelation {
  std::string lower, upper;
  std::size_t candidates = 0;
  double rank_correlation = 0;  // Spearman's
  bool skipped = false;         // too low: the lower stage was left out from then on
};

// The score of an order to start from, in the last stage of the ladder.
struct StartScore {
  std::string name;
  std::string refused;
  double score = 0;
};

// Counts, by origin, the candidates of a search and those that were among the best when they had run.
struct ProposalWay {
  std::string name;
  std::uint32_t tried = 0, kept = 0;
};

// The result of a search.
struct SearchOutcome {
  std::vector<SearchStage> ladder;
  std::vector<StartScore> starts;
  std::size_t reference = 0;                // position of the best start
  std::vector<ScoredCandidate> candidates;  // all that ran, by proposal; starts first
  std::size_t best = 0;                     // position in `candidates`
  StageReference reference_runs;            // runs of the starts in the last stage
  std::vector<RungCorrelation> correlations;
  std::vector<ProposalWay> ways;            // those of the search itself, then those of the method
  std::uint32_t proposed = 0, refused = 0;  // candidates; those that the experiment does not allow
  std::uint32_t equal = 0;                  // proposals left out, since their schedules had run
  std::uint32_t stopped = 0;                // candidates whose last run was ended early
  std::vector<double> curve;                // by candidate: the best score of the last stage so far
  double seconds = 0;

  const ScoredCandidate& winner() const { return candidates[best]; }
  double trained() const { return 1 - *winner().scores.back(); }
};

// Searches. Throws InputError for a space without choices, and for an experiment that no start fits.
SearchOutcome search(const SearchProblem& problem, const SearchOptions& options, CandidateRuns& runs);

}  // namespace a3sim
