#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/search/candidate_runs.h"
#include "sim/study/search/search_problem.h"
#include "sim/study/search/search_scenario.h"

namespace a3sim {

// What a stage's runs come to, as ratios to the best start's in each scenario and draw.
class StageReference {
 public:
  StageReference() = default;
  // Runs the starts; `refused` says by start why one does not fit.
  StageReference(const SearchProblem& problem, const SearchStage& stage, CandidateRuns& runs);

  const std::vector<std::string>& refused() const { return refused_; }
  // By scenario, by draw; none where no start fits, which leaves the scenario out.
  const std::vector<Latencies>& best() const { return best_; }
  const std::vector<std::vector<CandidateOutcome>>& starts() const { return starts_; }
  // Which start has the least mean in a scenario that has one.
  std::size_t best_start(std::size_t scenario) const;
  // By scenario, by draw, of those scenarios that count; nothing if the candidate was refused or stopped in one of
  // them.
  std::optional<std::vector<std::vector<double>>> ratios(const std::vector<CandidateOutcome>& outcomes) const;

 private:
  std::vector<std::string> refused_;
  std::vector<Latencies> best_;
  std::vector<std::vector<CandidateOutcome>> starts_;
};

// Places of the numbers when they are sorted, from 0; equal ones share the mean of theirs.
std::vector<double> mean_ranks(const std::vector<double>& numbers);

// The score of an objective: a mean, the largest, or the ninth decile of all ratios. A scenario in which the mean is over
// 1.01 makes a candidate worse than all without one, but for the objective `one`.
double score_of(const std::vector<std::vector<double>>& ratios, SearchObjective objective);

}  // namespace a3sim
