#pragma once

#include <string>
#include <vector>

#include "sim/study/search/search.h"

namespace a3sim {

// A choice in which the winner differs from the best order to start from.
struct RevertedChoice {
  std::string decision, winner, start;  // "forward vtq", "chunk"; what each of them has
  double loss = 0;                      // what the winner's score loses without it
  bool dropped = false;  // without it the winner was no slower, so that it is not in the winner any more
};

// The median score of the candidates that made a choice; infinite where it is of one whose run was ended.
struct ChoiceMedian {
  std::string value;
  std::size_t candidates = 0;
  double median = 0;
};
struct DecisionEffect {
  std::string decision;
  double share = 0;  // of the variance of scores' ranks: what lies between its values
  std::vector<ChoiceMedian> values;
};

// The winner where nobody trained it.
struct HeldOutScenario {
  std::string name, refused;
  double gain = 0;         // the mean over draws of 1 less the ratio to the best shipped order of the draw
  std::string best_start;  // the order with the least mean there
  bool by_keys = false;    // the lists found are of other tasks: the keys that they came from ran
};
struct HeldOutGain {
  std::vector<HeldOutScenario> scenarios;
  double gain = 0, low = 0, high = 0;  // the mean of scenarios, with Student's interval of 95 % over them
};

// How much slower the winner is in a training scenario than the best candidate for that scenario.
struct ScenarioRegret {
  std::string scenario;
  double gain = 0, regret = 0;
};
std::vector<ScenarioRegret> regrets_of(const SearchOutcome& outcome);

// Positions of the candidates that no other one is better than in latency, in vector workers and in spread over draws at
// once; the fastest first.
std::vector<std::size_t> front_of(const SearchOutcome& outcome);

// How far latencies are above the largest bound of each pass, in the configuration as it is: 0 is at the bound.
struct BoundDistance {
  double before = 0, after = 0;
};

// Reverts each choice of the winner, and takes those back that gain nothing: the winner gets simpler, and no slower in
// the training than it was.
std::vector<RevertedChoice> simplify(const SearchProblem& problem, const SearchOptions& options,
                                     SearchOutcome& outcome, CandidateRuns& runs);

// Marginal effects over all candidates that ran in the first stage that most of them reached; no designed experiment.
std::vector<DecisionEffect> effects_of(const SearchProblem& problem, const SearchOutcome& outcome);

// Of the winner, or of another order under its settings.
HeldOutGain judge(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
                  CandidateRuns& runs, const OrderSpec* order = nullptr);

BoundDistance bound_distance(const SearchOutcome& outcome, const CandidateRuns& runs,
                             const OrderSpec* order = nullptr);

}  // namespace a3sim
