#include "sim/search/search_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/search/search_report.h"
#include "version.h"

namespace a3sim {
namespace {

nlohmann::ordered_json best_json(const SearchProblem& problem, const SearchFindings& findings) {
  const Candidate& winner = findings.stated;
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
  json["yaml"] = problem.order_text(winner, findings.lists.file);
  return json;
}

// Returns the gains that the verdict follows from: zeros unless something is claimed.
nlohmann::ordered_json gain_json(const SearchFindings& findings) {
  const Judgement& judgement = findings.judgement;
  const Verification& verified = judgement.verified;
  const bool claims = judgement.claims();
  const auto least = std::ranges::min_element(verified.as_configured, {}, &VerifiedGain::gain);
  return {{"claimed", judgement.gain},
          {"trained", claims ? findings.trained() : 0},
          {"as_configured", claims ? least->gain : 0},
          {"same_settings", claims && verified.same_settings
                                ? nlohmann::ordered_json(verified.same_settings->gain)
                                : nlohmann::ordered_json()},
          {"held_out", claims ? verified.mean_elsewhere.mean : 0},
          {"low", claims ? verified.mean_elsewhere.low : 0},
          {"high", claims ? verified.mean_elsewhere.high : 0}};
}

nlohmann::ordered_json effects_json(const SearchFindings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DecisionEffect& effect : findings.effects) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array(), too_slow = values;
    for (const ChoiceMedian& value : effect.values) {
      if (std::isfinite(value.median)) {
        values.push_back(
            {{"value", value.value}, {"candidates", value.candidates}, {"median", value.median}});
      } else {
        too_slow.push_back(value.value);
      }
    }
    list.push_back({{"decision", effect.decision},
                    {"variance_share", effect.share},
                    {"values", values},
                    {"too_slow", too_slow}});
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
         {"too_slow_under", choice.too_slow_under},
         {"taken_back", choice.dropped}});
  }
  return list;
}

nlohmann::ordered_json verified_json(const VerifiedGain& gain) {
  const auto number = [&](double value) {
    return gain.refused.empty() ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  return {{"scenario", gain.condition}, {"gain", number(gain.gain)},       {"low", number(gain.low)},
          {"high", number(gain.high)},  {"best_shipped", gain.best_start}, {"refused", gain.refused},
          {"by_keys", gain.by_keys}};
}

nlohmann::ordered_json verified_json(const std::vector<VerifiedGain>& gains) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const VerifiedGain& gain : gains) list.push_back(verified_json(gain));
  return list;
}

nlohmann::ordered_json nearest_json(const std::optional<PublishedChange>& nearest) {
  if (!nearest) return nullptr;
  return {{"change", nearest->what},
          {"case", nearest->where},
          {"published", nearest->published},
          {"predicted", nearest->predicted},
          {"error", nearest->error()}};
}

nlohmann::ordered_json end_json(const GainAtEnd& end) {
  return {{"value", end.value},
          {"gain", end.gain ? nlohmann::ordered_json(*end.gain) : nlohmann::ordered_json()}};
}

nlohmann::ordered_json ranges_json(const GainRanges& ranges) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const RangedGain& value : ranges.values)
    values.push_back({{"path", value.path},
                      {"value", value.value},
                      {"source", value.source},
                      {"measure", value.measure},
                      {"low", end_json(value.low)},
                      {"high", end_json(value.high)}});
  return {{"condition", ranges.condition},
          {"known", ranges.known()},
          {"as_stated", ranges.as_stated},
          {"low", ranges.low},
          {"high", ranges.high},
          {"together", ranges.together ? nlohmann::ordered_json(*ranges.together) : nlohmann::ordered_json()},
          {"values", values},
          {"without_effect", ranges.without_effect}};
}

nlohmann::ordered_json left_out_json(const std::vector<LeftOut>& left_out) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LeftOut& other : left_out)
    list.push_back(
        {{"candidate", other.number}, {"verdict", std::string(name_of(other.verdict))}, {"why", other.why}});
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

nlohmann::ordered_json ways_json(const std::vector<ProposalWay>& ways) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ProposalWay& way : ways)
    list.push_back({{"way", way.name}, {"tried", way.tried}, {"kept", way.kept}});
  return list;
}

// Returns the points at which the gain grew, and the end of the search.
nlohmann::ordered_json curve_json(const std::vector<double>& curve) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  double best = 1;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i] >= best && i + 1 < curve.size()) continue;
    best = std::min(best, curve[i]);
    list.push_back({{"candidates", i + 1}, {"gain", 1 - best}});
  }
  return list;
}

nlohmann::ordered_json front_json(const SearchProblem& problem, const SearchFindings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::size_t i : findings.front) {
    const ScoredCandidate& candidate = findings.outcome.candidates[i];
    list.push_back({{"order", i == findings.outcome.best ? std::string("found")
                                                         : fmt::format("candidate {}", candidate.number)},
                    {"latency", candidate.latency_ms},
                    {"aivs", candidate.vector_workers},
                    {"spread", candidate.spread},
                    {"yaml", problem.order_text(candidate.candidate)},
                    {"settings", problem.settings(candidate.candidate)}});
  }
  return list;
}

nlohmann::ordered_json lists_json(const ListFindings& lists) {
  nlohmann::ordered_json moves = nlohmann::ordered_json::array();
  for (const ListMove& move : lists.kept) moves.push_back({{"move", move.text}, {"gain", move.gain}});
  return {{"why_not", lists.why_not}, {"tried", lists.tried}, {"not_faster", lists.not_faster},
          {"before", lists.before},   {"after", lists.after}, {"moves", moves},
          {"file", lists.file}};
}

}  // namespace

nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchOptions& options,
                                   const SearchFindings& findings) {
  const SearchOutcome& outcome = findings.outcome;
  const Judgement& judgement = findings.judgement;
  nlohmann::ordered_json starts = nlohmann::ordered_json::array();
  for (const StartScore& start : outcome.starts)
    starts.push_back({{"order", start.name}, {"score", start.score}, {"refused", start.refused}});
  return {
      {"schema_version", 2},
      {"a3sim", kVersion},
      {"name", problem.experiment().name},
      {"space", problem.space().name},
      {"objective", std::string(name_of(options.objective))},
      {"seed", options.seed},
      {"best", best_json(problem, findings)},
      {"best_shipped", outcome.starts[outcome.reference].name},
      {"headline", search_headline(problem, findings)},
      {"verdict", std::string(name_of(judgement.verdict))},
      {"holds", judgement.claims()},
      {"why", judgement.why},
      {"gain", gain_json(findings)},
      {"nearest_published", nearest_json(judgement.nearest)},
      {"as_configured", verified_json(judgement.verified.as_configured)},
      {"same_settings", judgement.verified.same_settings ? verified_json(*judgement.verified.same_settings)
                                                         : nlohmann::ordered_json()},
      {"ranges", ranges_json(judgement.ranges)},
      {"left_out", left_out_json(findings.left_out)},
      {"bound_distance", {{"before", findings.bound.before}, {"after", findings.bound.after}}},
      {"candidates", outcome.proposed},
      {"no_runtime_files", findings.no_runtime_files},
      {"refused", outcome.refused},
      {"equal_schedules", outcome.equal},
      {"stopped", outcome.stopped},
      {"candidates_per_second", outcome.seconds > 0 ? outcome.proposed / outcome.seconds : 0},
      {"candidates_to_90_percent", until_most_of(outcome)},
      {"effects", effects_json(findings)},
      {"reverted", reverted_json(findings.reverted)},
      {"trained", regrets_json(findings.regrets)},
      {"held_out", verified_json(judgement.verified.elsewhere)},
      {"shipped", starts},
      {"rungs", rungs_json(outcome.correlations)},
      {"ways", ways_json(outcome.ways)},
      {"curve", curve_json(outcome.curve)},
      {"front", front_json(problem, findings)},
      {"lists", lists_json(findings.lists)},
      {"rule", !findings.lists.gained()}};
}

}  // namespace a3sim
