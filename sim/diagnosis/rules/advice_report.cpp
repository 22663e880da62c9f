#include "sim/diagnosis/rules/advice_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/diagnosis/rules/rule.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

using nlohmann::ordered_json;

std::string steps_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("step {}", first) : fmt::format("steps {} to {}", first, last);
}

// Of a single step nothing is said of steps.
std::string where(const Finding& finding, const Advice& advice) {
  std::string place = place_text(finding, advice.ranks);
  if (advice.steps == 1 && !place.empty()) return place;
  const std::string steps = steps_text(finding);
  return place.empty() ? steps : place + ", " + steps;
}

const char* per_step(const Advice& advice) { return advice.steps == 1 ? "" : " per step"; }

// Returns how a finding changes over its steps: its ranks, or its lost time.
std::string course_text(const Finding& finding) {
  if (finding.parts.size() < 2) return {};
  std::string text;
  if (finding.grows())
    text = fmt::format("it grows from {:.3f} to {:.3f} ms per step", finding.parts.front().lost_ms,
                       finding.parts.back().lost_ms);
  for (const FindingPart& part : finding.parts) {
    if (!text.empty()) text += "; ";
    if (finding.moves)
      text += fmt::format("rank{} {} in ", part.ranks.size() > 1 ? "s" : "", fmt::join(part.ranks, ", "));
    text += steps_text(part.first, part.last);
    if (!finding.moves) text += fmt::format(" {:.3f} ms", part.lost_ms);
    if (part.gain_ms) text += fmt::format(" (without it {:.3f} ms less)", *part.gain_ms);
  }
  return text;
}

std::string proof_text(const Remedy& remedy, const char* per_step) {
  switch (remedy.proof) {
    case Remedy::Proof::kSimulated:
      return fmt::format("gains {:.3f} ms{}", remedy.gain_ms, per_step);
    case Remedy::Proof::kNotProvable:
      return "not provable: the simulation has no such change";
    case Remedy::Proof::kNotTried:
      break;
  }
  return fmt::format("at most {:.3f} ms{}", remedy.gain_ms, per_step);
}

// Returns whether a remedy states its gain. Equal bounds are stated only once.
bool tells_gain(const Finding& finding, std::size_t remedy) {
  return finding.cause != kCauseOpen &&
         (remedy == 0 || finding.remedies[remedy].proof != Remedy::Proof::kNotTried);
}

void add_finding(const Finding& finding, const Advice& advice, std::string& text) {
  text += fmt::format("{}: {:.3f} ms{} ({}){}\n", finding.cause, finding.lost_ms, per_step(advice),
                      share_text(finding), trust_text(finding));
  text += fmt::format("  where      {}\n", where(finding, advice));
  if (const std::string course = course_text(finding); !course.empty())
    text += fmt::format("  {:<10} {}\n", finding.moves ? "moves" : "in parts", course);
  for (std::size_t e = 0; e < finding.evidence.size(); ++e) {
    const Evidence& item = finding.evidence[e];
    text += fmt::format("  {:<10} {}{}\n", e == 0 ? "evidence" : "", evidence_text(item),
                        item.place.empty() ? "" : "  " + item.place.text);
  }
  for (std::size_t i = 0; i < finding.ruled_out.size(); ++i)
    text += fmt::format("  {:<10} {}: {}\n", i == 0 ? "ruled out" : "", finding.ruled_out[i].cause,
                        finding.ruled_out[i].why);
  for (std::size_t i = 0; i < finding.remedies.size(); ++i)
    text += fmt::format("  {:<10} {}{}\n", i == 0 ? "remedy" : "", finding.remedies[i].text,
                        tells_gain(finding, i)
                            ? fmt::format(" ({})", proof_text(finding.remedies[i], per_step(advice)))
                            : "");
  for (std::size_t i = 0; i < finding.missing.size(); ++i)
    text += fmt::format("  {:<10} {}\n", i == 0 ? "missing" : "", finding.missing[i]);
}

ordered_json json_of(const Finding& finding) {
  ordered_json evidence = ordered_json::array(), out = ordered_json::array(),
               remedies = ordered_json::array(), parts = ordered_json::array();
  for (const Evidence& item : finding.evidence)
    evidence.push_back({{"what", item.what.find("{}") == std::string::npos ? item.what : evidence_text(item)},
                        {"value", item.value},
                        {"threshold", item.threshold},
                        {"unit", item.unit},
                        {"place", item.place.text}});
  for (const RuledOut& item : finding.ruled_out) out.push_back({{"cause", item.cause}, {"why", item.why}});
  for (const Remedy& item : finding.remedies)
    remedies.push_back(
        {{"text", item.text},
         {"gain_ms", item.proof == Remedy::Proof::kNotProvable ? ordered_json() : ordered_json(item.gain_ms)},
         {"bound", item.proof != Remedy::Proof::kSimulated}});
  for (const FindingPart& part : finding.parts) {
    parts.push_back({{"steps", {part.first, part.last}}, {"ranks", part.ranks}, {"lost_ms", part.lost_ms}});
    if (part.gain_ms) parts.back()["gain_ms"] = *part.gain_ms;
  }
  ordered_json links = ordered_json::array();
  for (const auto& [from, to] : finding.links) links.push_back({from, to});
  ordered_json json{{"cause", finding.cause},
                    {"ranks", finding.ranks},
                    {"links", links},
                    {"operators", finding.operators},
                    {"steps", {finding.first, finding.last}},
                    {"lost_ms", finding.lost_ms},
                    {"explains", finding.explains},
                    {"confidence", finding.confidence},
                    {"evidence", evidence},
                    {"ruled_out", out},
                    {"remedies", remedies},
                    {"missing", finding.missing}};
  if (!finding.side.empty()) json["side"] = finding.side;
  if (!finding.cables.empty()) json["cables"] = finding.cables;
  if (finding.parts.size() > 1) json["parts"] = parts;
  if (finding.moves) json["moves"] = true;
  if (finding.steady) json["standing"] = true;
  return json;
}

}  // namespace

std::string steps_text(const Finding& finding) {
  return finding.steady ? "every step" : steps_text(finding.first, finding.last);
}

std::string trust_text(const Finding& finding) {
  std::string text;
  if (!finding.steady && finding.cause != kCauseOpen)
    text += fmt::format(", explains {:.0f} % of the lag", 100 * finding.explains);
  if (finding.confidence > 0) text += fmt::format(", sure to {:.0f} %", 100 * finding.confidence);
  return text;
}

namespace {

std::string cables_text(const std::vector<std::string>& cables) {
  constexpr std::size_t kMost = 6;
  const auto named = [](const std::string& name) {
    return name.starts_with("switch ") ? name : "cable " + name;
  };
  std::string text = named(cables.front());
  for (std::size_t c = 1; c < std::min(kMost, cables.size()); ++c) text += " or " + named(cables[c]);
  if (cables.size() > kMost) text += fmt::format(" or one of {} others", cables.size() - kMost);
  return cables.size() > 1 ? text + ", which carry the same transfers" : text;
}

// Returns ranks in words: "0, 3", of many also "0 to 399".
std::string text_of_ranks(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kMany = 16;
  if (ranks.size() <= kMany) return fmt::format("{}", fmt::join(ranks, ", "));
  std::string text;
  for (std::size_t from = 0, to = 0; from < ranks.size(); from = to) {
    to = from + 1;
    while (to < ranks.size() && ranks[to] == ranks[to - 1] + 1) ++to;
    text += text.empty() ? "" : ", ";
    text +=
        to - from > 1 ? fmt::format("{} to {}", ranks[from], ranks[to - 1]) : fmt::format("{}", ranks[from]);
  }
  return text;
}

}  // namespace

std::string place_text(const Finding& finding, std::uint32_t ranks) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (finding.ranks.size() == ranks && ranks > 1)
    add("all ranks");
  else if (!finding.ranks.empty())
    add(fmt::format("{}rank{} {}", finding.set.empty() ? "" : finding.set + ": ",
                    finding.ranks.size() > 1 ? "s" : "", text_of_ranks(finding.ranks)));
  if (!finding.side.empty())
    add(finding.side == "both" ? "both sides of its ports" : finding.side + " of its ports");
  for (const auto& [from, to] : finding.links) add(fmt::format("rank {} to rank {}", from, to));
  for (const std::string& op : finding.operators) add(op);
  if (!finding.cables.empty()) add(cables_text(finding.cables));
  return text;
}

std::string evidence_text(const Evidence& item) {
  // A sentence with a place for its value, which is a part if it has no unit.
  if (const std::size_t place = item.what.find("{}"); place != std::string::npos) {
    const auto text_of = [&](double value) {
      return item.unit.empty() ? in_percent(value, 0) : fmt::format("{:.4g} {}", value, item.unit);
    };
    std::string text = item.what;
    text.replace(place, 2, text_of(item.value));
    return text + (item.threshold > 0 ? fmt::format(" (threshold {})", text_of(item.threshold)) : "");
  }
  const std::string limit = item.threshold > 0 ? fmt::format(" (limit {:.4g})", item.threshold) : "";
  return fmt::format("{}: {:.4g}{}{}{}", item.what, item.value, item.unit.empty() ? "" : " ", item.unit,
                     limit);
}

std::string share_text(const Finding& finding) {
  // Parts beyond a whole step are multiples of it.
  if (finding.share > 1) return fmt::format("{:.1f} times a usual step", finding.share);
  return fmt::format("{:.1f} %{}", 100 * finding.share, finding.of_ms > 0 ? " of the kernels' time" : "");
}

namespace {

// Returns where the time of a profile's ranks goes.
std::string time_text(const Advice& advice) {
  constexpr std::size_t kMostRanks = 16;
  if (advice.time.empty()) return {};
  std::string text = "time of a step, in ms, exchanges only where nothing computes:\n";
  for (std::size_t r = 0; r < std::min(kMostRanks, advice.time.size()); ++r) {
    const RankShares& rank = advice.time[r];
    text += fmt::format("  rank {:<5} {:.3f} = computing {:.3f}", rank.rank, rank.length, rank.computing);
    const auto part = [&](const char* name, double ms) {
      if (ms > 0) text += fmt::format(" + {} {:.3f}", name, ms);
    };
    part("transferring", rank.transferring);
    part("waiting", rank.waiting);
    part("standing still", rank.still);
    part("waiting or transferring", rank.undecided);
    text += fmt::format(" + free {:.3f}", rank.free);
    if (rank.hidden > 0) text += fmt::format("; {:.3f} ms of exchanges hidden", rank.hidden);
    text += '\n';
  }
  if (advice.time.size() > kMostRanks)
    text += fmt::format("  and {} ranks more (--json)\n", advice.time.size() - kMostRanks);
  return text;
}

std::string groups_text(const Advice& advice) {
  constexpr std::size_t kMostGroups = 12, kMostRanks = 16;
  std::string text;
  for (std::size_t g = 0; g < std::min(kMostGroups, advice.groups.size()); ++g) {
    const GroupShares& group = advice.groups[g];
    const std::vector<std::uint32_t> shown(
        group.ranks.begin(),
        group.ranks.begin() + static_cast<std::ptrdiff_t>(std::min(kMostRanks, group.ranks.size())));
    text += fmt::format("group {}{}: rank{} {}{}", group.use, group.told ? "" : " (inferred)",
                        group.ranks.size() == 1 ? "" : "s", fmt::join(shown, ", "),
                        group.ranks.size() > kMostRanks ? ", …" : "");
    if (group.last != kNone)
      text += fmt::format("; rank {} comes last {} times, the others wait {:.3f} ms per step for it",
                          group.last, group.times, group.waits_ms);
    text += '\n';
  }
  if (advice.groups.size() > kMostGroups)
    text += fmt::format("and {} groups more (--json)\n", advice.groups.size() - kMostGroups);
  return text;
}

ordered_json json_of(const RankShares& rank) {
  return {{"rank", rank.rank},
          {"steps", rank.steps},
          {"length_ms", rank.length},
          {"computing_ms", rank.computing},
          {"transferring_ms", rank.transferring},
          {"waiting_ms", rank.waiting},
          {"still_ms", rank.still},
          {"undecided_ms", rank.undecided},
          {"free_ms", rank.free},
          {"hidden_ms", rank.hidden}};
}

ordered_json json_of(const GroupShares& group) {
  ordered_json json{
      {"use", group.use}, {"name", group.name}, {"inferred", !group.told}, {"ranks", group.ranks}};
  if (group.last != kNone)
    json["last"] = {{"rank", group.last}, {"times", group.times}, {"waits_ms", group.waits_ms}};
  return json;
}

std::string info_text(const Finding& finding, const Advice& advice) {
  if (finding.lost_ms > 0)
    return fmt::format("info: {}, {}: {:.3f} ms{} ({}{})\n", finding.cause, where(finding, advice),
                       finding.lost_ms, per_step(advice), share_text(finding),
                       finding.healthy ? ", without faults too" : "");
  // A finding without lost time names what limits an operator.
  return fmt::format("info: {}, {}: {}\n", finding.cause, where(finding, advice),
                     evidence_text(finding.evidence.front()));
}

std::string path_text(const PathParts& path) {
  constexpr std::size_t kMost = 6;
  std::string text =
      fmt::format("critical path of step {}, {}:", path.step, path.exact ? "exact" : "inferred");
  for (std::size_t p = 0; p < std::min(kMost, path.parts.size()); ++p)
    text += fmt::format("{} {} of rank {} {:.1f} %", p > 0 ? "," : "", path.parts[p].op, path.parts[p].rank,
                        100 * path.parts[p].share);
  return text + (path.parts.size() > kMost ? ", …\n" : "\n");
}

ordered_json json_of(const PathParts& path) {
  ordered_json parts = ordered_json::array();
  for (const PathParts::Part& part : path.parts)
    parts.push_back({{"operator", part.op}, {"rank", part.rank}, {"share", part.share}});
  return {{"step", path.step}, {"inferred", !path.exact}, {"operators", parts}};
}

}  // namespace

std::string advice_text(const Advice& advice) {
  std::string text;
  for (const Finding& finding : advice.findings) {
    add_finding(finding, advice, text);
    text += '\n';
  }
  if (advice.findings.empty()) text += "nothing found that costs 1 % of a step\n\n";
  if (advice.steps == 1)
    text += fmt::format("{} rank{}, one step of {:.3f} ms\n", advice.ranks, advice.ranks == 1 ? "" : "s",
                        advice.usual_ms);
  else
    text += fmt::format("{} rank{}, {} steps of {:.3f} ms usually, {} slow\n", advice.ranks,
                        advice.ranks == 1 ? "" : "s", advice.steps, advice.usual_ms, advice.slow);
  for (const Unexplained& part : advice.unexplained)
    text += fmt::format("unexplained: {:.3f} ms per step in {}\n", part.lost_ms,
                        steps_text(part.first, part.last));
  for (const Finding& finding : advice.infos) text += info_text(finding, advice);
  text += time_text(advice) + groups_text(advice);
  if (advice.path) text += path_text(*advice.path);
  for (const Missing& missing : advice.missing)
    text += missing.needed_for.empty()
                ? fmt::format("note: {}\n", missing.column)
                : fmt::format("not seen: {}, needed for {}\n", missing.column, missing.needed_for);
  return text;
}

std::string cause_in_words(std::string_view cause) {
  const auto known = CauseRules::all().find(cause);
  return known == CauseRules::all().end() ? std::string() : known->second.description;
}

std::string first_finding(const Advice& advice, std::string_view whole) {
  const auto told = [&](const Finding& finding) {
    const std::string place = place_text(finding, advice.ranks);
    const Evidence& evidence = finding.evidence.front();
    return fmt::format("{}{}{}: {:.3f} ms of the {} ({}). Evidence: {}{}{}.", finding.cause,
                       place.empty() ? "" : ", ", place, finding.lost_ms, whole, share_text(finding),
                       evidence_text(evidence), evidence.place.empty() ? "" : ", ", evidence.place.text);
  };
  if (!advice.findings.empty()) {
    const Finding& first = advice.findings.front();
    const std::string remedy =
        first.remedies.empty() ? "" : fmt::format(" Try: {}.", first.remedies.front().text);
    return fmt::format("First finding: {}{}", told(first), remedy);
  }
  return {};
}

ordered_json advice_json(const Advice& advice) {
  ordered_json findings = ordered_json::array(), infos = ordered_json::array(),
               missing = ordered_json::array();
  for (const Finding& finding : advice.findings) findings.push_back(json_of(finding));
  for (const Finding& finding : advice.infos) infos.push_back(json_of(finding));
  for (const Missing& entry : advice.missing)
    missing.push_back({{"column", entry.column}, {"needed_for", entry.needed_for}});
  ordered_json json{{"schema_version", 1},       {"ranks", advice.ranks},
                    {"steps", advice.steps},     {"slow_steps", advice.slow},
                    {"slow", advice.slow_steps}, {"usual_ms", advice.usual_ms},
                    {"findings", findings},      {"info", infos},
                    {"missing", missing}};
  for (const Unexplained& part : advice.unexplained)
    json["unexplained"].push_back({{"steps", {part.first, part.last}}, {"lost_ms", part.lost_ms}});
  for (const RankShares& rank : advice.time) json["time"].push_back(json_of(rank));
  for (const GroupShares& group : advice.groups) json["groups"].push_back(json_of(group));
  if (advice.path) json["path"] = json_of(*advice.path);
  return json;
}

}  // namespace a3sim
