#include "sim/published/direction_turns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/core/error.h"
#include "sim/experiment/config/overrides.h"
#include "sim/variation/difference_table.h"

namespace a3sim {
namespace {

using CaseCoordinates = nlohmann::ordered_json;

// Returns whether a value is a condition of all cases, and not a part of a schedule.
bool is_condition(const std::string& set) {
  constexpr std::string_view kConditions[] = {"hardware.", "program.", "model.", "routing."};
  return std::ranges::any_of(kConditions, [&](std::string_view prefix) { return set.starts_with(prefix); });
}

// The cases that directions compare, under other values: a list of variations, each once.
class TurnedCases {
 public:
  TurnedCases(const PublishedTable& table, const Scenario& scenario) : table_(table), scenario_(scenario) {}

  // Returns the number of the case under these values.
  std::size_t add(const CaseCoordinates& coordinates, const std::vector<std::string>& set) {
    const std::string name = fmt::format("{} {}", coordinates.dump(), fmt::join(set, " "));
    const auto found = std::ranges::find(variations_, name, &Variation::name);
    if (found != variations_.end()) return static_cast<std::size_t>(found - variations_.begin());
    passes_.push_back(coordinates.value("pass", ""));
    variations_.push_back({name, {}, [this, overrides = overrides_of(coordinates, set)](const Experiment&) {
                             return scenario_.load(table_.experiment, overrides);
                           }});
    return variations_.size() - 1;
  }
  void run() {
    outcomes_ = outcomes({}, variations_,
                         {.jitter = JitterOptions::none(), .threads = scenario_.threads, .hold = false});
    for (const Difference& row : outcomes_.rows)
      if (!row.ran()) throw RunError(row.refused);
  }
  double latency(std::size_t number) const {
    double sum = 0;
    const std::vector<Latencies>& passes = outcomes_.rows[number].outcome.passes;
    for (std::size_t pass = 0; pass < passes.size(); ++pass)
      if (passes_[number].empty() || passes_[number] == outcomes_.passes[pass])
        sum += seconds(passes[pass].front());
    return sum;
  }

 private:
  std::vector<std::string> overrides_of(const CaseCoordinates& coordinates,
                                        const std::vector<std::string>& set) const {
    CaseCoordinates without_pass = coordinates;
    without_pass.erase("pass");
    const auto published = std::ranges::find_if(table_.cases, [&](const PublishedCase& other) {
      return other.variant.empty() && same_coordinates(other.coordinates, without_pass);
    });
    if (published == table_.cases.end()) throw InputError(coordinates.dump() + ": no case of the table");
    std::vector<std::string> overrides = published->overrides;
    overrides.insert(overrides.end(), set.begin(), set.end());
    return overrides;
  }

  const PublishedTable& table_;
  const Scenario& scenario_;
  std::vector<Variation> variations_;
  std::vector<std::string> passes_;  // by variation; empty: all
  DifferenceTable outcomes_;
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
                           const std::vector<DirectionVerdict>& verdicts, TurnedCases& cases) {
  std::vector<std::string> conditions;
  std::ranges::copy_if(set, std::back_inserter(conditions), is_condition);
  TurnedDirections result{&turned, &set, {}};
  for (const DirectionVerdict& verdict : verdicts)
    result.cases.emplace_back(cases.add(verdict.direction->faster, &verdict == &turned ? set : conditions),
                              cases.add(verdict.direction->than, conditions));
  return result;
}

DirectionTurn turn_of(const TurnedDirections& under, const std::vector<DirectionVerdict>& verdicts,
                      const TurnedCases& cases) {
  DirectionTurn turn{under.verdict->direction, *under.set, under.verdict->predicted, 0, 1,
                     verdicts.size(),          false};
  const auto ratio = [&](std::size_t v) {
    const double faster = cases.latency(under.cases[v].first);
    return faster > 0 ? cases.latency(under.cases[v].second) / faster : 0;
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
  TurnedCases cases(table, scenario);
  const DirectionSets sets = sets_of(table, scenario);
  std::vector<TurnedDirections> asked;
  for (const DirectionVerdict& verdict : verdicts) {
    if (verdict.holds() && verdict.published_place == verdict.predicted_place) continue;
    for (const std::vector<std::string>& set : sets.at(verdict.direction->what))
      asked.push_back(all_under(verdict, set, verdicts, cases));
  }
  cases.run();
  std::vector<DirectionTurn> turns;
  for (const TurnedDirections& under : asked) turns.push_back(turn_of(under, verdicts, cases));
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
