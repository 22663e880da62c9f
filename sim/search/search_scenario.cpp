#include "sim/search/search_scenario.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
namespace {

JitterOptions drawn_with(std::uint32_t runs, std::uint64_t seed) {
  JitterOptions jitter;
  jitter.runs = runs;
  jitter.seed = seed;
  return jitter;
}

// Added to a seed, whose draws are then not among those of the training.
constexpr std::uint64_t kOtherDraws = 0x68656c64;

SearchStage stage_of(std::string name, const std::vector<NamedSettings>& from, const JitterOptions& jitter) {
  SearchStage stage{std::move(name), {}};
  for (const NamedSettings& settings : from)
    stage.scenarios.push_back({settings.name, settings.settings, jitter});
  if (stage.scenarios.empty()) stage.scenarios.push_back({"as configured", {}, jitter});
  return stage;
}

}  // namespace

std::vector<SearchStage> ladder_of(const SearchProblem& problem, SearchObjective objective,
                                   const ScenarioDraws& draws, std::uint64_t seed,
                                   const std::vector<NamedSettings>& over) {
  std::vector<SearchStage> ladder;
  for (const NamedSettings& rung : problem.space().rungs)
    ladder.push_back({rung.name, {{rung.name, rung.settings, JitterOptions::none()}}});
  ladder.push_back({"as configured", {{"as configured", {}, JitterOptions::none()}}});
  if (objective != SearchObjective::kOne)
    ladder.push_back(stage_of("training", over.empty() ? problem.space().training : over,
                              drawn_with(draws.training, seed)));
  return ladder;
}

SearchStage held_out_stage(const SearchProblem& problem, const ScenarioDraws& draws, std::uint64_t seed) {
  return stage_of("held out", problem.space().held_out, drawn_with(draws.held_out, seed + kOtherDraws));
}

SearchStage configured_stage(std::uint64_t seed, std::uint32_t draws,
                             const std::vector<NamedSettings>& over) {
  return stage_of("as configured", over, drawn_with(draws, seed + kOtherDraws));
}

std::vector<NamedSettings> scenarios_over(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::vector<NamedSettings> scenarios;
  std::istringstream values(equals == std::string::npos ? "" : text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');)
    scenarios.push_back({text.substr(0, equals) + '=' + value, {text.substr(0, equals) + '=' + value}});
  if (equals == 0 || scenarios.size() < 2)
    throw InputError(
        fmt::format("--over {}: expected a key and two values or more, as in model.tokens=512,2048", text));
  return scenarios;
}

}  // namespace a3sim
