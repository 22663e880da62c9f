#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/search/explanation.h"
#include "sim/study/search/gain_ranges.h"
#include "sim/study/search/list_stage.h"

namespace a3sim {

// A candidate that was faster in training than the winner, and was left out because its gain does not hold in the ranges
// of what is known of the machine and the program, or because its schedules are unsound.
struct LeftOut {
  std::uint32_t number = 0;
  double trained = 0;
  std::string weakest_end, unsound;  // the end without a gain, or what is wrong with its schedules
};

// All results of a search.
struct SearchFindings {
  SearchOutcome outcome;
  std::vector<RevertedChoice> reverted;
  std::vector<DecisionEffect> effects;
  std::vector<ScenarioRegret> regrets;
  std::vector<std::size_t> front;  // positions in outcome.candidates
  ListFindings lists;
  HeldOutGain held_out;  // of the lists, if they gain
  BoundDistance bound;
  GainRanges ranges;              // of the lists, if they gain
  std::vector<LeftOut> left_out;  // before the winner, the fastest first

  // What the public runtime's files cannot carry of the winner; empty: they carry it.
  std::string no_runtime_files;

  // The winner, or the best start if the winner's gain does not hold.
  Candidate stated;

  // True if it found an order that was faster in training than every start.
  bool gained() const { return lists.gained() || (outcome.winner().number > 0 && outcome.trained() > 0); }
  // Returns whether that gain is claimed: it holds where nothing was trained, and in the ranges of what is known.
  bool holds(const SearchOptions& options) const { return holds_elsewhere(options) && ranges.holds(); }
  // Unless the objective is `one`, the interval of the gain in scenarios that nothing was trained on must lie above zero,
  // or all of these scenarios gain, and together clearly: few that gain by unlike amounts have a wide interval. Over values
  // of a key, each of them must gain.
  bool holds_elsewhere(const SearchOptions& options) const {
    if (options.objective == SearchObjective::kOne || !gained()) return gained();
    const auto gains = [](const HeldOutScenario& scenario) { return scenario.gain > 0; };
    constexpr double kClear = 0.02;
    const bool all_gain = std::ranges::all_of(held_out.scenarios, gains);
    return options.over.empty() ? held_out.low > 0 || (all_gain && held_out.gain > kClear) : all_gain;
  }
  // Returns that gain.
  double trained() const { return lists.gained() ? 1 - lists.after : outcome.trained(); }
};

// Returns why 'check' refuses a candidate's schedules; empty: they are sound.
using WhyUnsound = std::function<std::string(const Candidate&)>;
// Leaves out winners whose schedules no hardware could run, until the best of the others is sound or an order to start from.
// Emission makes sound ones, so there is none to leave out unless the compiler is at fault.
void leave_out_unsound(SearchOutcome& outcome, std::vector<LeftOut>& left_out, const WhyUnsound& why_unsound);

// Searches, simplifies the winner, moves its tasks if asked, and judges the result.
SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs);

// Returns the number of candidates until the score was within a tenth of the final gain; 0 without a gain.
std::uint32_t until_most_of(const SearchOutcome& outcome);

}  // namespace a3sim
