#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/search/explanation.h"
#include "sim/search/judgement.h"
#include "sim/search/list_stage.h"

namespace a3sim {

// A candidate that was faster in training than the one that is stated, and why it was left out.
struct LeftOut {
  std::uint32_t number = 0;
  double trained = 0;
  GainVerdict verdict = GainVerdict::kDenied;
  std::string why{};
};

// All results of a search.
struct SearchFindings {
  SearchOutcome outcome;
  std::vector<RevertedChoice> reverted;
  std::vector<DecisionEffect> effects;
  std::vector<ScenarioRegret> regrets;
  std::vector<std::size_t> front;  // positions in outcome.candidates
  ListFindings lists;
  Judgement judgement;  // of the winner; of its lists, if they gain
  BoundDistance bound;
  std::vector<LeftOut> left_out;  // in the order in which they were judged
  std::string
      no_runtime_files;  // what the public runtime's files cannot carry of the winner; empty: they carry it
  bool shipped_order = false;  // the winner's order is a shipped one, so that it gains by its settings alone
  Candidate stated;            // the winner, or the best start if nothing is claimed

  // True if it found an order that was faster in training than every start.
  bool gained() const { return trained() > 0; }
  bool claims() const { return judgement.claims(); }
  // Returns the gain in training.
  double trained() const {
    if (lists.gained()) return 1 - lists.after;
    return outcome.winner().number > 0 ? outcome.trained() : 0;
  }
};

// Returns why 'check' refuses a candidate's schedules; empty: they are sound.
using WhyUnsound = std::function<std::string(const Candidate&)>;
// Leaves out winners whose schedules no hardware could run, until the best of the others is sound or an order to start from.
// Emission makes sound ones, so there is none to leave out unless the compiler is at fault.
void leave_out_unsound(SearchOutcome& outcome, std::vector<LeftOut>& left_out, const WhyUnsound& why_unsound);

// Searches, calls SearchOptions::found, simplifies the winner, moves its tasks if asked, and judges the result. If the winner's
// gain is not claimed, the next best candidates are judged, a few of them.
SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs);

// Returns the number of candidates until the score was within a tenth of the final gain; 0 without a gain.
std::uint32_t until_most_of(const SearchOutcome& outcome);

}  // namespace a3sim
