#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/search/candidate_runs.h"
#include "sim/search/search_problem.h"
#include "sim/search/search_scenario.h"

namespace a3sim {

// Gives the results of a stage's runs as ratios to the best start, in each scenario and draw.
class StageReference {
 public:
  StageReference() = default;
  // Runs the starts. `refused` then says, for each start, why it does not fit.
  StageReference(const SearchProblem& problem, const SearchStage& stage, CandidateRuns& runs);

  const std::vector<std::string>& refused() const { return refused_; }
  // Returns the best latencies by scenario, then by draw. Empty if no start fits: the scenario is left out.
  const std::vector<Latencies>& best() const { return best_; }
  const std::vector<std::vector<CandidateOutcome>>& starts() const { return starts_; }
  // Returns the start with the least mean in a scenario that some start fits.
  std::size_t best_start(std::size_t scenario) const;
  // Returns ratios by scenario, then by draw, without scenarios that are left out. Returns nullopt if the
  // candidate was refused or stopped in one of the others.
  std::optional<std::vector<std::vector<double>>> ratios(const std::vector<CandidateOutcome>& outcomes) const;

 private:
  std::vector<std::string> refused_;
  std::vector<Latencies> best_;
  std::vector<std::vector<CandidateOutcome>> starts_;
};

// Returns the ranks of the numbers, from 0. Equal numbers share their mean rank.
std::vector<double> mean_ranks(const std::vector<double>& numbers);

// The most that an order may take in a scenario, beside the best shipped one.
inline constexpr double kMostLost = 1.01;

// Returns the score under an objective: the mean, the largest, or the ninth decile of all ratios. Unless
// the objective is `one`, a candidate with a mean above kMostLost in any scenario is worse than all without one.
double score_of(const std::vector<std::vector<double>>& ratios, SearchObjective objective);

}  // namespace a3sim
