#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/study/search/explanation.h"
#include "traces/report/report.h"

namespace a3sim {

// All that a search has to say.
struct SearchFindings {
  SearchOutcome outcome;
  std::vector<RevertedChoice> reverted;
  std::vector<DecisionEffect> effects;
  std::vector<ScenarioRegret> regrets;
  HeldOutGain held_out;
  BoundDistance bound;

  // Whether something faster than every order to start from was found, in the training.
  bool gained() const { return outcome.winner().number > 0 && outcome.trained() > 0; }
};

// Searches, simplifies what was found, and judges it.
SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs);

// For people: the winner, its gain where it was trained and where not, why, and how the search went.
Report search_report(const SearchProblem& problem, const SearchOptions& options,
                     const SearchFindings& findings);

// For programs. All but the candidates a second follows from the input.
nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchOptions& options,
                                   const SearchFindings& findings);

}  // namespace a3sim
