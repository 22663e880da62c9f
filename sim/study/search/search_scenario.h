#pragma once

#include <string>
#include <vector>

#include "sim/experiment/draws.h"
#include "sim/study/search/search_problem.h"

namespace a3sim {

// A condition in which candidates run: the configuration with these values, in some draws of task times and rates.
struct SearchScenario {
  std::string name;
  std::vector<std::string> settings;
  JitterOptions jitter = JitterOptions::none();
};

// Runs that decide together, the cheapest first in a ladder.
struct SearchStage {
  std::string name;
  std::vector<SearchScenario> scenarios;
};

// How the ratios of a candidate's latencies to those of the best order to start from, one a run, become its score.
enum class SearchObjective : std::uint8_t { kMean, kWorst, kP90, kOne };
constexpr auto names_of(SearchObjective) {
  return std::to_array<std::string_view>({"mean", "worst", "p90", "one"});
}

// How many draws a scenario has in training, and in the judgement.
struct ScenarioDraws {
  std::uint32_t training = 2, held_out = 3;
};

// The ladder of a search: the space's rungs, then the experiment as configured, then, unless the objective is `one`,
// all training scenarios under jitter: those of `over`, or else the space's. `one` ends with the experiment as
// configured.
std::vector<SearchStage> ladder_of(const SearchProblem& problem, SearchObjective objective,
                                   const ScenarioDraws& draws, std::uint64_t seed,
                                   const std::vector<NamedSettings>& over = {});

// The scenarios that nothing is trained on: the space's or those of `over`, with draws of their own.
SearchStage held_out_stage(const SearchProblem& problem, const ScenarioDraws& draws, std::uint64_t seed,
                           const std::vector<NamedSettings>& over = {});

// "model.tokens=64,512" as a scenario for each value. Throws InputError for what is no key with values.
std::vector<NamedSettings> scenarios_over(const std::string& text);

}  // namespace a3sim
