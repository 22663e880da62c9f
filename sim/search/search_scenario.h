#pragma once

#include <string>
#include <vector>

#include "sim/experiment/run/draws.h"
#include "sim/search/search_problem.h"

namespace a3sim {

// A condition for runs of candidates: the configuration with these values, in several draws of task times
// and rates.
struct SearchScenario {
  std::string name;
  std::vector<std::string> settings;
  JitterOptions jitter = JitterOptions::none();
};

// Runs that decide together. The stages of a ladder go from cheap to expensive.
struct SearchStage {
  std::string name;
  std::vector<SearchScenario> scenarios;
};

// Turns the ratios of a candidate's latencies to the best start's, one ratio per run, into its score.
enum class SearchObjective : std::uint8_t { kMean, kWorst, kP90, kOne };
constexpr auto names_of(SearchObjective) {
  return std::to_array<std::string_view>({"mean", "worst", "p90", "one"});
}

// The number of draws of a scenario in training and in judgement.
struct ScenarioDraws {
  std::uint32_t training = 2, held_out = 2;
};

// Returns the ladder of a search: the space's rungs, then the experiment as configured, then all training
// scenarios under jitter, from `over` or else from the space. Under the objective `one` the ladder ends
// with the experiment as configured.
std::vector<SearchStage> ladder_of(const SearchProblem& problem, SearchObjective objective,
                                   const ScenarioDraws& draws, std::uint64_t seed,
                                   const std::vector<NamedSettings>& over = {});

// Returns the space's scenarios without training, with draws of their own.
SearchStage held_out_stage(const SearchProblem& problem, const ScenarioDraws& draws, std::uint64_t seed);

// Returns the experiment as configured, or each of `over`, in so many draws that are not those of the training.
SearchStage configured_stage(std::uint64_t seed, std::uint32_t draws, const std::vector<NamedSettings>& over);

// Returns a scenario for each value in "model.tokens=64,512". Throws InputError if the text is no key with
// values.
std::vector<NamedSettings> scenarios_over(const std::string& text);

}  // namespace a3sim
