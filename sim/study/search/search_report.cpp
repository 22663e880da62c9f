#include "sim/study/search/search_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "version.h"

namespace a3sim {
namespace {

// How many candidates it took to come within a tenth of the final gain; 0: there is none.
std::size_t until_most_of(const std::vector<double>& curve) {
  if (curve.empty() || curve.back() >= 1) return 0;
  const double enough = 1 - 0.9 * (1 - curve.back());
  return static_cast<std::size_t>(std::ranges::find_if(curve, [&](double s) { return s <= enough; }) -
                                  curve.begin()) +
         1;
}

std::string verdict(const SearchProblem& problem, const SearchFindings& findings) {
  const SearchOutcome& outcome = findings.outcome;
  const std::string& start = outcome.starts[outcome.reference].name;
  if (!findings.gained())
    return fmt::format("Nothing faster than {} was found among {} candidates.\n", start, outcome.proposed);
  const HeldOutGain& held = findings.held_out;
  std::string text = fmt::format(
      "The order found is {} faster than the best shipped order ({}) in training, and {} ({:+.2f}..{:+.2f} "
      "%) in "
      "scenarios that it was not trained on.\n",
      in_percent(outcome.trained(), 2), start, in_percent(held.gain, 2), 100 * held.low, 100 * held.high);
  if (held.low <= 0) text += "The interval holds zero: do not count on a gain there.\n";
  const auto worst = std::ranges::min_element(held.scenarios, {}, &HeldOutScenario::gain);
  constexpr double kMuch = -0.01;
  if (worst != held.scenarios.end() && worst->gain < kMuch)
    text += fmt::format("Under {} it is {} slower than {}.\n", worst->name, in_percent(-worst->gain, 2),
                        worst->best_start);
  return text + fmt::format("Above the bound: {} before, {} now (as configured, {}).\n",
                            in_percent(findings.bound.before), in_percent(findings.bound.after),
                            fmt::join(problem.parts(), " and "));
}

void add_held_out(Report& report, const HeldOutGain& held) {
  Table& table = report.table("", {Column::words("not trained on"), Column::signed_percent("gain", "gain", 2),
                                   Column::words("best shipped there"), Column::words("")});
  for (const HeldOutScenario& scenario : held.scenarios)
    table.add({scenario.name, scenario.refused.empty() ? Cell(scenario.gain) : Cell(), scenario.best_start,
               scenario.refused.substr(0, scenario.refused.find('\n'))});
}

void add_regrets(Report& report, const std::vector<ScenarioRegret>& regrets) {
  if (regrets.size() < 2) return;
  Table& table = report.table("", {Column::words("trained on"), Column::signed_percent("gain", "gain", 2),
                                   Column::percent("slower than the best for it", "regret", 2)});
  for (const ScenarioRegret& regret : regrets) table.add({regret.scenario, regret.gain, regret.regret});
}

void add_reverted(Report& report, const std::vector<RevertedChoice>& reverted) {
  Table& table =
      report.table("", {Column::words("without its"), Column::signed_percent("slower", "loss", 2),
                        Column::words("the order found has"), Column::words("the best shipped one has")});
  std::vector<std::string> dropped;
  for (const RevertedChoice& choice : reverted) {
    if (choice.dropped) {
      dropped.push_back(choice.decision);
    } else {
      table.add({choice.decision, std::isnan(choice.loss) ? Cell() : Cell(choice.loss), choice.winner,
                 choice.start});
    }
  }
  if (!dropped.empty())
    report.say_on(fmt::format("Taken back, since it gained nothing: {}.\n", fmt::join(dropped, ", ")));
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 36;
  return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

void add_effects(Report& report, const std::vector<DecisionEffect>& effects) {
  constexpr std::size_t kShown = 10, kFewest = 3;
  Table& table =
      report.table("", {Column::words("decision"), Column::percent("of the variance", "share"),
                        Column::words("best"), Column::signed_percent("to the best shipped", "best", 2),
                        Column::words("worst"), Column::signed_percent("to the best shipped", "worst", 2)});
  for (const DecisionEffect& effect : effects) {
    std::vector<ChoiceMedian> values;
    for (const ChoiceMedian& value : effect.values) {
      if (value.candidates >= kFewest) values.push_back(value);
    }
    if (values.size() < 2 || table.rows().size() == kShown) continue;
    table.add({effect.decision, effect.share, shortened(values.front().value), values.front().median - 1,
               shortened(values.back().value), values.back().median - 1});
  }
  report.say_on(
      "Medians over the candidates that made the choice, and the variance of their ranks; no designed "
      "experiment: "
      "a search makes good choices more often.\n");
}

void add_search(Report& report, const SearchOptions& options, const SearchOutcome& outcome) {
  std::string text;
  for (const RungCorrelation& rung : outcome.correlations)
    text += fmt::format("'{}' ranks candidates as '{}' does: rank correlation {:.3f} over {}{}.\n",
                        rung.lower, rung.upper, rung.rank_correlation, rung.candidates,
                        rung.skipped ? "; it was left out from then on" : "");
  const std::size_t most = until_most_of(outcome.curve);
  report.say(fmt::format("{} candidates by method {}, {} of them not allowed; {}\n{}", outcome.proposed,
                         options.method, outcome.refused,
                         most > 0 ? fmt::format("nine tenths of the gain after {}", most) : "no gain", text));
}

nlohmann::ordered_json best_json(const SearchProblem& problem, const Candidate& winner) {
  const OrderSpec order = problem.order(winner);
  nlohmann::ordered_json json{{"name", order.name}, {"ctq", order.keys[0]}, {"vtq", order.keys[1]}};
  json["assignment"] = std::string(name_of(order.assignment));
  nlohmann::ordered_json pools = nlohmann::ordered_json::object(), limits = pools, settings = pools;
  for (const OrderSpec::Pool& pool : order.pools)
    pools[pool.name] = {{"operators", pool.operators}, {"workers", pool.workers}};
  for (const auto& [operators, limit] : order.limits) limits[operators] = limit;
  for (const std::string& setting : problem.settings(winner)) {
    const std::size_t at = setting.find('=');
    settings[setting.substr(0, at)] = setting.substr(at + 1);
  }
  json["pools"] = pools;
  json["limit"] = limits;
  json["settings"] = settings;
  json["yaml"] = problem.order_text(winner);
  return json;
}

nlohmann::ordered_json effects_json(const SearchFindings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DecisionEffect& effect : findings.effects) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const ChoiceMedian& value : effect.values)
      values.push_back({{"value", value.value}, {"candidates", value.candidates}, {"median", value.median}});
    list.push_back({{"decision", effect.decision}, {"variance_share", effect.share}, {"values", values}});
  }
  return list;
}

nlohmann::ordered_json reverted_json(const std::vector<RevertedChoice>& reverted) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RevertedChoice& choice : reverted) {
    list.push_back(
        {{"decision", choice.decision},
         {"best", choice.winner},
         {"shipped", choice.start},
         {"loss", std::isnan(choice.loss) ? nlohmann::ordered_json() : nlohmann::ordered_json(choice.loss)},
         {"taken_back", choice.dropped}});
  }
  return list;
}

nlohmann::ordered_json held_out_json(const HeldOutGain& held) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const HeldOutScenario& scenario : held.scenarios)
    list.push_back({{"scenario", scenario.name},
                    {"gain", scenario.refused.empty() ? nlohmann::ordered_json(scenario.gain)
                                                      : nlohmann::ordered_json()},
                    {"best_shipped", scenario.best_start},
                    {"refused", scenario.refused}});
  return list;
}

nlohmann::ordered_json regrets_json(const std::vector<ScenarioRegret>& regrets) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ScenarioRegret& regret : regrets)
    list.push_back({{"scenario", regret.scenario}, {"gain", regret.gain}, {"regret", regret.regret}});
  return list;
}

nlohmann::ordered_json rungs_json(const std::vector<RungCorrelation>& correlations) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RungCorrelation& rung : correlations)
    list.push_back({{"lower", rung.lower},
                    {"upper", rung.upper},
                    {"candidates", rung.candidates},
                    {"rank_correlation", rung.rank_correlation},
                    {"skipped", rung.skipped}});
  return list;
}

}  // namespace

SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs) {
  SearchFindings findings{search(problem, options, runs), {}, {}, {}, {}, {}};
  findings.reverted = simplify(problem, options, findings.outcome, runs);
  findings.effects = effects_of(problem, findings.outcome);
  findings.regrets = regrets_of(findings.outcome);
  findings.held_out = judge(problem, options, findings.outcome, runs);
  findings.bound = bound_distance(findings.outcome, runs);
  return findings;
}

Report search_report(const SearchProblem& problem, const SearchOptions& options,
                     const SearchFindings& findings) {
  const SearchOutcome& outcome = findings.outcome;
  Report report;
  report.say(fmt::format("{} (a3sim {}): search in space {}, objective {}\n", problem.experiment().name,
                         kVersion, problem.space().name, name_of(options.objective)));
  report.say(verdict(problem, findings));
  if (findings.gained()) {
    const std::vector<std::string> settings = problem.settings(outcome.winner().candidate);
    report.say(problem.order_text(outcome.winner().candidate) +
               (settings.empty() ? "" : fmt::format("{}\n", fmt::join(settings, "\n"))));
    add_reverted(report, findings.reverted);
    add_regrets(report, findings.regrets);
    add_held_out(report, findings.held_out);
  }
  add_effects(report, findings.effects);
  add_search(report, options, outcome);
  return report;
}

nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchOptions& options,
                                   const SearchFindings& findings) {
  const SearchOutcome& outcome = findings.outcome;
  const bool gained = findings.gained();
  const HeldOutGain& held = findings.held_out;
  nlohmann::ordered_json starts = nlohmann::ordered_json::array();
  for (const StartScore& start : outcome.starts)
    starts.push_back({{"order", start.name}, {"score", start.score}, {"refused", start.refused}});
  return {{"schema_version", 1},
          {"a3sim", kVersion},
          {"name", problem.experiment().name},
          {"space", problem.space().name},
          {"objective", std::string(name_of(options.objective))},
          {"method", options.method},
          {"seed", options.seed},
          {"best", best_json(problem, outcome.winner().candidate)},
          {"best_shipped", outcome.starts[outcome.reference].name},
          {"gain",
           {{"trained", gained ? outcome.trained() : 0},
            {"held_out", gained ? held.gain : 0},
            {"low", gained ? held.low : 0},
            {"high", gained ? held.high : 0}}},
          {"bound_distance", {{"before", findings.bound.before}, {"after", findings.bound.after}}},
          {"candidates", outcome.proposed},
          {"refused", outcome.refused},
          {"candidates_per_second", outcome.seconds > 0 ? outcome.proposed / outcome.seconds : 0},
          {"candidates_to_90_percent", until_most_of(outcome.curve)},
          {"effects", effects_json(findings)},
          {"reverted", reverted_json(findings.reverted)},
          {"trained", regrets_json(findings.regrets)},
          {"held_out", held_out_json(held)},
          {"shipped", starts},
          {"rungs", rungs_json(outcome.correlations)},
          {"curve", outcome.curve},
          {"rule", true}};
}

}  // namespace a3sim
