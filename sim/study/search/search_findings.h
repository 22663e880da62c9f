#pragma once

#include <vector>

#include "sim/study/search/explanation.h"
#include "sim/study/search/list_stage.h"

namespace a3sim {

// All that a search has found out.
struct SearchFindings {
  SearchOutcome outcome;
  std::vector<RevertedChoice> reverted;
  std::vector<DecisionEffect> effects;
  std::vector<ScenarioRegret> regrets;
  std::vector<std::size_t> front;  // of outcome.candidates
  ListFindings lists;
  HeldOutGain held_out;  // of the lists, where they gain
  BoundDistance bound;

  // Whether something faster than every order to start from was found, in the training.
  bool gained() const { return lists.gained() || (outcome.winner().number > 0 && outcome.trained() > 0); }
  // The gain there.
  double trained() const { return lists.gained() ? 1 - lists.after : outcome.trained(); }
};

// Searches, simplifies what was found, moves its tasks where that is asked for, and judges the result.
SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs);

// How many candidates it took to come within a tenth of the final gain; 0: there is none.
std::uint32_t until_most_of(const SearchOutcome& outcome);

}  // namespace a3sim
