#include "sim/search/search_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "version.h"

namespace a3sim {
namespace {

std::string left_out_text(const SearchFindings& findings) {
  std::string text;
  for (const LeftOut& other : findings.left_out) {
    if (other.number == findings.outcome.winner().number) continue;
    text += fmt::format("Left out: candidate {}, {}: {}.\n", other.number, name_of(other.verdict), other.why);
  }
  return text;
}

// Says what the gain was verified by: "3.1 % over full with all ranks and noise, as configured; ...". Each comparison has a
// best shipped order of its own.
std::string verified_text(const SearchFindings& findings, bool also_elsewhere) {
  const Verification& verified = findings.judgement.verified;
  const std::string& start = findings.outcome.starts[findings.outcome.reference].name;
  std::vector<std::string> parts{
      fmt::format("{} over {} in training", in_percent(findings.trained(), 2), start)};
  const auto least = std::ranges::min_element(verified.as_configured, {}, &VerifiedGain::gain);
  parts.push_back(fmt::format("{} over {} with all ranks and noise, as configured",
                              in_percent(least->gain, 2), least->best_start));
  if (verified.same_settings)
    parts.push_back(
        fmt::format("{} over {} where the shipped orders have its settings, as 'a3sim try' compares them",
                    in_percent(verified.same_settings->gain, 2), verified.same_settings->best_start));
  if (also_elsewhere && !verified.elsewhere.empty())
    parts.push_back(fmt::format("{} ({:+.2f}..{:+.2f} %) in conditions that it was not trained on",
                                in_percent(verified.mean_elsewhere.mean, 2),
                                100 * verified.mean_elsewhere.low, 100 * verified.mean_elsewhere.high));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string nearest_text(const SearchFindings& findings) {
  const std::optional<PublishedChange>& nearest = findings.judgement.nearest;
  if (!nearest) return "No change of its kind was published.\n";
  return fmt::format(
      "The nearest published change of its kind ({}, {}) gains {:+.1f} %, predicted {:+.1f} %: {:.1f} points "
      "off.\n",
      nearest->what, nearest->where, 100 * nearest->published, 100 * nearest->predicted,
      100 * nearest->error());
}

std::string carried_text(const SearchProblem& problem, const SearchFindings& findings) {
  const std::string& carried = findings.no_runtime_files;
  if (carried.empty()) return "'a3sim export --runtime-config' writes them for the public runtime";
  std::string why = carried.substr(std::min(carried.find("the public"), carried.size()));
  if (problem.space().name != "moe_ffn") return why;
  return why + "; 'a3sim search --space public_runtime' finds what they carry";
}

std::string claim_text(const SearchProblem& problem, const SearchFindings& findings) {
  const Judgement& judgement = findings.judgement;
  const bool alone = judgement.verdict == GainVerdict::kConfiguredAlone;
  std::string text = fmt::format(
      "{}{}: the smallest of {}.\n",
      problem.orders() ? fmt::format("The order found is {} faster than the best shipped order",
                                     in_percent(judgement.gain, 2))
                       : fmt::format("With what was found it takes {} less time than as configured",
                                     in_percent(judgement.gain, 2)),
      alone ? ", as configured alone" : "", verified_text(findings, !alone));
  if (alone) text += fmt::format("It holds nowhere else: {}.\n", judgement.why);
  if (findings.shipped_order)
    text +=
        "It gains by its settings: with them a shipped order is as fast, so that 'a3sim try' of its file, "
        "where all orders have "
        "these settings, finds no difference.\n";
  const auto worst = std::ranges::min_element(judgement.verified.elsewhere, {}, &VerifiedGain::gain);
  constexpr double kMuch = -0.01;
  if (worst != judgement.verified.elsewhere.end() && worst->gain < kMuch)
    text += fmt::format("Under {} it is {} slower than {}.\n", worst->condition, in_percent(-worst->gain, 2),
                        worst->best_start);
  text += nearest_text(findings) + left_out_text(findings);
  text += problem.orders() ? fmt::format("Its schedules are sound, as 'a3sim check' proves; {}.\n",
                                         carried_text(problem, findings))
                           : std::string("Its program is sound, as 'a3sim check' proves.\n");
  return text + fmt::format("Above the bound: {} before, {} now (as configured, {}).\n",
                            in_percent(findings.bound.before), in_percent(findings.bound.after),
                            fmt::join(problem.parts(), " and "));
}

void add_verified(Report& report, const Verification& verified) {
  if (verified.as_configured.empty()) return;
  Table& table =
      report.table("", {Column::words("verified with all ranks"), Column::signed_percent("gain", "gain", 2),
                        Column::signed_percent("low", "low", 2), Column::signed_percent("high", "high", 2),
                        Column::words("best shipped there"), Column::words("")});
  const auto add = [&](const VerifiedGain& gain) {
    const bool ran = gain.refused.empty();
    const std::string note = !ran           ? gain.refused.substr(0, gain.refused.find('\n'))
                             : gain.by_keys ? "by the keys: the lists are of other tasks"
                                            : "";
    table.add({gain.condition, ran ? Cell(gain.gain) : Cell(), ran ? Cell(gain.low) : Cell(),
               ran ? Cell(gain.high) : Cell(), gain.best_start, note});
  };
  for (const VerifiedGain& gain : verified.as_configured) add(gain);
  if (verified.same_settings) add(*verified.same_settings);
  for (const VerifiedGain& gain : verified.elsewhere) add(gain);
}

// The gain with what is known only within a range at its ends.
void add_ranges(Report& report, const GainRanges& ranges) {
  if (ranges.values.empty() && ranges.without_effect == 0) return;
  constexpr std::size_t kShown = 6;
  std::string text = fmt::format(
      "Values of the machine and the program that are known only within ranges: the gain ({:+.2f} %, {}) "
      "lies "
      "between {:+.2f} and {:+.2f} %\nwith each of them alone at either end",
      100 * ranges.as_stated, ranges.condition, 100 * ranges.low, 100 * ranges.high);
  if (ranges.together)
    text += fmt::format(", and is {:+.2f} % with all at unfavourable ends", 100 * *ranges.together);
  report.say(fmt::format("{}. {} others do not move it.\n", text, ranges.without_effect));
  if (ranges.values.empty()) return;
  Table& table = report.table(
      "ranges", {Column::words("known within a range", "value"), Column::words("now", "now"),
                 Column::words("low", "low"), Column::signed_percent("gain", "gain_at_low", 2),
                 Column::words("high", "high"), Column::signed_percent("gain", "gain_at_high", 2)});
  const auto cell = [](const GainAtEnd& end) { return end.gain ? Cell(*end.gain) : Cell(); };
  for (const RangedGain& value : ranges.values) {
    if (table.rows().size() == kShown) break;
    table.add(
        {value.path, value.value, value.low.value, cell(value.low), value.high.value, cell(value.high)});
  }
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
                        Column::words("the order found has"), Column::words("the best shipped one has"),
                        Column::words("then too slow under")});
  std::vector<std::string> dropped;
  for (const RevertedChoice& choice : reverted) {
    if (choice.dropped) {
      dropped.push_back(choice.decision);
    } else {
      table.add({choice.decision, std::isnan(choice.loss) ? Cell() : Cell(choice.loss), choice.winner,
                 choice.start, choice.too_slow_under});
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
    const auto change = [](const ChoiceMedian& value) {
      return std::isfinite(value.median) ? Cell(value.median - 1) : Cell();
    };
    table.add({effect.decision, effect.share, shortened(values.front().value), change(values.front()),
               shortened(values.back().value), change(values.back())});
  }
  report.say_on(
      "Medians over the candidates that made the choice, and the variance of their ranks; no designed "
      "experiment: "
      "a search makes good choices more often.\n");
}

void add_ways(Report& report, const SearchOutcome& outcome) {
  Table& table = report.table("", {Column::words("candidates by"), Column::count("tried", "tried"),
                                   Column::count("then among the best", "kept")});
  for (const ProposalWay& way : outcome.ways)
    if (way.tried > 0) table.add({way.name, whole(way.tried), whole(way.kept)});
}

void add_front(Report& report, const SearchFindings& findings) {
  constexpr std::size_t kShown = 8;
  if (findings.front.size() < 2) return;
  Table& table =
      report.table("", {Column::words("not beaten by another"), Column::number("latency ms", "latency", 3),
                        Column::count("AIVs", "aivs"), Column::percent("spread over draws", "spread", 2)});
  for (const std::size_t i : std::span(findings.front).first(std::min(kShown, findings.front.size()))) {
    const ScoredCandidate& candidate = findings.outcome.candidates[i];
    const bool is_winner = i == findings.outcome.best;
    table.add({is_winner ? std::string("the order found") : fmt::format("candidate {}", candidate.number),
               candidate.latency_ms, whole(candidate.vector_workers), candidate.spread});
  }
}

void add_lists(Report& report, const ListFindings& lists) {
  if (!lists.gained()) {
    if (!lists.why_not.empty()) report.say(fmt::format("Keys, no lists: {}.\n", lists.why_not));
    return;
  }
  report.say(fmt::format("Lists in place of these keys gain {} more; {} of {} moves of tasks were taken:\n",
                         in_percent(lists.before - lists.after, 2), lists.kept.size(), lists.tried));
  for (const ListMove& move : lists.kept)
    report.say(fmt::format("  {} ({:+.3f} %)\n", move.text, -100 * move.gain));
  report.say(lists.file.empty() ? std::string("-o FILE writes the order, and the lists next to it.\n")
                                : fmt::format("They stand in {}.\n", lists.file));
}

std::string gain_by_budget(const std::vector<double>& curve) {
  std::vector<std::string> parts;
  for (std::size_t part : {8U, 4U, 2U, 1U}) {
    const std::size_t budget = curve.size() / part;
    if (budget > 0) parts.push_back(fmt::format("{:.2f} % after {}", 100 * (1 - curve[budget - 1]), budget));
  }
  return fmt::format("Gain in training by candidates: {}.\n", fmt::join(parts, ", "));
}

void add_search(Report& report, const SearchOptions& options, const SearchOutcome& outcome) {
  std::string text;
  for (const RungCorrelation& rung : outcome.correlations)
    text += fmt::format("'{}' ranks candidates as '{}' does: rank correlation {:.3f} over {}{}.\n",
                        rung.lower, rung.upper, rung.rank_correlation, rung.candidates,
                        rung.skipped ? "; it was left out from then on" : "");
  const std::uint32_t most = until_most_of(outcome);
  if (most > 0) text += gain_by_budget(outcome.curve);
  report.say(fmt::format(
      "{} candidates by method {}, {} of them not allowed{}; {}\n{}", outcome.proposed, options.method,
      outcome.refused,
      (outcome.stopped > 0 ? fmt::format(", {} ended early as too slow", outcome.stopped) : std::string()) +
          (outcome.equal > 0
               ? fmt::format("; {} more were left out, since their schedules had run", outcome.equal)
               : std::string()),
      most > 0 ? fmt::format("nine tenths of the gain after {}", most) : "no gain", text));
}

}  // namespace

std::string search_headline(const SearchProblem& problem, const SearchFindings& findings) {
  const SearchOutcome& outcome = findings.outcome;
  const std::string& start = outcome.starts[outcome.reference].name;
  if (!findings.gained())
    return fmt::format("Nothing faster than {} was found among {} candidates.\n", start, outcome.proposed) +
           left_out_text(findings);
  const Judgement& judgement = findings.judgement;
  switch (judgement.verdict) {
    case GainVerdict::kNothing:
      return fmt::format(
          "Nothing to gain: {}, and nothing faster than {} by more was found among {} candidates.\n",
          judgement.why, start, outcome.proposed);
    case GainVerdict::kDenied:
      return fmt::format("Nothing to gain that holds. Of what was fastest in training: {}. {} stands.\n",
                         judgement.why, start) +
             left_out_text(findings);
    case GainVerdict::kNotKnown:
      return fmt::format("Not known: whether what was found is faster than {}: {}. {} stands.\n", start,
                         judgement.why, start) +
             left_out_text(findings);
    default:
      return claim_text(problem, findings);
  }
}

Report search_report(const SearchProblem& problem, const SearchOptions& options,
                     const SearchFindings& findings) {
  const SearchOutcome& outcome = findings.outcome;
  Report report;
  report.say(fmt::format("{} (a3sim {}): search in space {}, objective {}\n", problem.experiment().name,
                         kVersion, problem.space().name, name_of(options.objective)));
  report.say(search_headline(problem, findings));
  if (findings.claims()) {
    const std::vector<std::string> settings = problem.settings(outcome.winner().candidate);
    report.say((problem.orders() ? problem.order_text(findings.stated, findings.lists.file) : std::string()) +
               (settings.empty() ? "" : fmt::format("{}\n", fmt::join(settings, "\n"))));
  }
  if (findings.gained()) {
    add_verified(report, findings.judgement.verified);
    if (findings.claims()) {
      add_reverted(report, findings.reverted);
      add_regrets(report, findings.regrets);
      add_front(report, findings);
    }
    add_ranges(report, findings.judgement.ranges);
  }
  add_lists(report, findings.lists);
  add_effects(report, findings.effects);
  add_ways(report, outcome);
  add_search(report, options, outcome);
  return report;
}

}  // namespace a3sim
