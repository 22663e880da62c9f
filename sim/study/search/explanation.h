#pragma once

#include <string>
#include <vector>

#include "sim/study/search/search.h"

namespace a3sim {

// A choice in which the winner differs from the best start.
struct RevertedChoice {
  std::string decision, winner, start;  // decision "forward vtq" or "chunk"; the values of both
  double loss = 0;       // how much slower the winner gets without it, in the mean over scenarios of training
  bool dropped = false;  // true: the winner was no slower without it, and lost it
  std::string
      too_slow_under{};  // the scenario in which it then is more than 1 % slower than the best shipped order
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

// The winner in a scenario without training.
struct HeldOutScenario {
  std::string name, refused;
  double gain = 0;         // mean over draws of 1 - (latency / that of the best shipped order in the draw)
  std::string best_start;  // the order with the least mean there
  // The found lists are for other tasks, so that the keys that they came from were run.
  bool by_keys = false;
};
struct HeldOutGain {
  std::vector<HeldOutScenario> scenarios;
  double gain = 0, low = 0, high = 0;  // mean over scenarios, with Student's 95 % interval
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

// Judges the winner, or another order with the winner's settings, in the held-out scenarios.
HeldOutGain judge(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
                  CandidateRuns& runs, const NamedOrder* order = nullptr);

BoundDistance bound_distance(const SearchOutcome& outcome, const CandidateRuns& runs,
                             const OrderSpec* order = nullptr);

}  // namespace a3sim
