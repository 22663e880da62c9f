#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/search/search.h"

namespace a3sim {

// A choice in which the winner differs from the best start.
struct RevertedChoice {
  std::string decision, winner, start;  // decision "forward vtq" or "chunk"; the values of both
  // How much slower the candidate, as it was found, gets without it, in the mean over scenarios of training.
  double loss = 0;
  bool dropped = false;  // true: the winner was no slower without it, and lost it
  // The scenario in which it then is more than 1 % slower than the best shipped order; empty: none.
  std::string too_slow_under{};
};

// The median score of the candidates with one choice. Infinite if the median candidate's run was ended
// early.
struct ChoiceMedian {
  std::string value;
  std::size_t candidates = 0;
  double median = 0;
};
struct DecisionEffect {
  std::string decision;
  double share = 0;  // of the variance of scores' ranks, the share between its values
  std::vector<ChoiceMedian> values;
};

// The regret of the winner in a training scenario: how much slower it is than the best candidate there.
struct ScenarioRegret {
  std::string scenario;
  double gain = 0, regret = 0;
};
std::vector<ScenarioRegret> regrets_of(const SearchOutcome& outcome);

// Returns the positions of candidates that no other one beats in latency, vector workers and spread over
// draws at once; the fastest first.
std::vector<std::size_t> front_of(const SearchOutcome& outcome);

// The distance of latencies from the largest bound of each pass, in the configuration as it is. 0: at the
// bound.
struct BoundDistance {
  double before = 0, after = 0;
};

// Reverts each choice of the winner and, with `take_back`, keeps the reversals that cost nothing: the winner gets simpler, and
// not slower in training.
std::vector<RevertedChoice> simplify(const SearchProblem& problem, const SearchOptions& options,
                                     SearchOutcome& outcome, CandidateRuns& runs, bool take_back);

// Returns the marginal effects over all candidates of the first stage that most of them reached. The
// candidates are no designed experiment.
std::vector<DecisionEffect> effects_of(const SearchProblem& problem, const SearchOutcome& outcome);

// Returns the candidate with the order of a start in place of its own, as the last stage of the ladder scores it; nullopt if
// that does not run.
std::optional<ScoredCandidate> scored_with_order(const SearchProblem& problem, const SearchOptions& options,
                                                 const SearchOutcome& outcome, CandidateRuns& runs,
                                                 const ScoredCandidate& candidate, std::size_t start);

BoundDistance bound_distance(const SearchOutcome& outcome, const CandidateRuns& runs,
                             const OrderSpec* order = nullptr);

}  // namespace a3sim
