#include "sim/published/direction_turns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/core/parallel.h"
#include "sim/experiment/config/overrides.h"
#include "sim/experiment/run/run_experiment.h"

namespace a3sim {
namespace {

using CaseCoordinates = nlohmann::ordered_json;

// Returns whether a value is a condition of all cases, and not a part of a schedule.
bool is_condition(const std::string& set) {
  constexpr std::string_view kConditions[] = {"hardware.", "program.", "model.", "routing."};
  return std::ranges::any_of(kConditions, [&](std::string_view prefix) { return set.starts_with(prefix); });
}

// One of the cases that a direction compares, under other values.
struct TurnedCase {
  CaseCoordinates coordinates;
  std::vector<std::string> set;
  double latency = 0;
  friend bool operator==(const TurnedCase& a, const TurnedCase& b) {
    return a.coordinates == b.coordinates && a.set == b.set;
  }
};

class TurnRuns {
 public:
  TurnRuns(const PublishedTable& table, const Scenario& scenario) : table_(table), scenario_(scenario) {}

  // Returns the number of the case.
  std::size_t add(const CaseCoordinates& coordinates, std::vector<std::string> set) {
    const TurnedCase wanted{coordinates, std::move(set), 0};
    const auto found = std::ranges::find(cases_, wanted);
    if (found != cases_.end()) return static_cast<std::size_t>(found - cases_.begin());
    cases_.push_back(wanted);
    return cases_.size() - 1;
  }
  void run() {
    in_parallel(cases_.size(), scenario_.threads,
                [&](std::size_t i) { cases_[i].latency = latency_of(cases_[i]); });
  }
  double latency(std::size_t number) const { return cases_[number].latency; }

 private:
  double latency_of(const TurnedCase& one) const {
    CaseCoordinates without_pass = one.coordinates;
    without_pass.erase("pass");
    const auto published = std::ranges::find_if(table_.cases, [&](const PublishedCase& other) {
      return other.variant.empty() && same_coordinates(other.coordinates, without_pass);
    });
    if (published == table_.cases.end()) return 0;
    std::vector<std::string> overrides = published->overrides;
    overrides.insert(overrides.end(), one.set.begin(), one.set.end());
    double sum = 0;
    for (const PassResult& pass : run_experiment(scenario_.load(table_.experiment, overrides), false))
      if (!one.coordinates.contains("pass") || one.coordinates["pass"] == pass.name)
        sum += seconds(pass.run.makespan);
    return sum;
  }

  const PublishedTable& table_;
  const Scenario& scenario_;
  std::vector<TurnedCase> cases_;
};

using DirectionSets =
    std::map<std::string, std::vector<std::vector<std::string>>>;  // by PublishedDirection::what

// Reads the table's file again: only this needs what may turn its directions.
DirectionSets sets_of(const PublishedTable& table, const Scenario& scenario) {
  DirectionSets sets;
  for (const PublishedDirection& direction : table.directions) sets[direction.what];
  const std::filesystem::path file = scenario.configs / "published" / (table.name + ".yaml");
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  for (const Config& direction : root.maps("directions"))
    sets[direction.text("what")] = read_turns(direction, std::filesystem::absolute(file).parent_path());
  return sets;
}

// The cases of all directions under the values that may turn one of them.
struct TurnedDirections {
  const DirectionVerdict* verdict = nullptr;
  const std::vector<std::string>* set = nullptr;
  std::vector<std::pair<std::size_t, std::size_t>> cases;  // by verdict: faster, than
};

TurnedDirections all_under(const DirectionVerdict& turned, const std::vector<std::string>& set,
                           const std::vector<DirectionVerdict>& verdicts, TurnRuns& runs) {
  std::vector<std::string> conditions;
  std::ranges::copy_if(set, std::back_inserter(conditions), is_condition);
  TurnedDirections result{&turned, &set, {}};
  for (const DirectionVerdict& verdict : verdicts)
    result.cases.emplace_back(runs.add(verdict.direction->faster, &verdict == &turned ? set : conditions),
                              runs.add(verdict.direction->than, conditions));
  return result;
}

DirectionTurn turn_of(const TurnedDirections& under, const std::vector<DirectionVerdict>& verdicts,
                      const TurnRuns& runs) {
  DirectionTurn turn{under.verdict->direction, *under.set, under.verdict->predicted, 0, 1,
                     verdicts.size(),          false};
  const auto ratio = [&](std::size_t v) {
    const double faster = runs.latency(under.cases[v].first);
    return faster > 0 ? runs.latency(under.cases[v].second) / faster : 0;
  };
  const auto own = static_cast<std::size_t>(under.verdict - verdicts.data());
  turn.predicted = ratio(own);
  for (std::size_t v = 0; v < verdicts.size(); ++v)
    if (ratio(v) > turn.predicted) ++turn.place;
  turn.turns =
      (turn.predicted > 1) == (turn.direction->published > 1) && turn.place == under.verdict->published_place;
  return turn;
}

}  // namespace

std::vector<std::vector<std::string>> read_turns(const Config& direction,
                                                 const std::filesystem::path& folder) {
  std::vector<std::vector<std::string>> turns;
  for (const Config& turn : direction.maps("turned_by")) {
    std::vector<std::string>& set = turns.emplace_back();
    for (const Override& override : read_overrides(turn.map("set"), folder)) set.push_back(override.text());
    turn.finish();
  }
  return turns;
}

std::vector<DirectionTurn> direction_turns(const PublishedTable& table,
                                           const std::vector<Comparison>& comparisons,
                                           const Scenario& scenario) {
  const std::vector<DirectionVerdict> verdicts = direction_verdicts(table, comparisons);
  TurnRuns runs(table, scenario);
  const DirectionSets sets = sets_of(table, scenario);
  std::vector<TurnedDirections> asked;
  for (const DirectionVerdict& verdict : verdicts) {
    if (verdict.holds() && verdict.published_place == verdict.predicted_place) continue;
    for (const std::vector<std::string>& set : sets.at(verdict.direction->what))
      asked.push_back(all_under(verdict, set, verdicts, runs));
  }
  runs.run();
  std::vector<DirectionTurn> turns;
  for (const TurnedDirections& under : asked) turns.push_back(turn_of(under, verdicts, runs));
  return turns;
}

std::string turns_text(const std::vector<DirectionTurn>& turns) {
  std::string text;
  for (const DirectionTurn& turn : turns)
    text += fmt::format("{}: {:.2f}x here; with {} it is {:.2f}x, place {} of {}: {}\n", turn.direction->what,
                        turn.before, fmt::join(turn.set, ", "), turn.predicted, turn.place, turn.of,
                        turn.turns ? "as published" : "not as published");
  return text;
}

}  // namespace a3sim
