#include "traces/rules/advice_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace a3sim {
namespace {

using nlohmann::ordered_json;

std::string where(const Finding& of, std::uint32_t ranks) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (of.ranks.size() == ranks && ranks > 1)
    add("all ranks");
  else if (!of.ranks.empty())
    add(fmt::format("rank{} {}", of.ranks.size() > 1 ? "s" : "", fmt::join(of.ranks, ", ")));
  if (!of.side.empty()) add(of.side == "both" ? "both sides of its ports" : of.side + " of its ports");
  for (const auto& [from, to] : of.links) add(fmt::format("rank {} to rank {}", from, to));
  for (const std::string& op : of.operators) add(op);
  add(of.first == of.last ? fmt::format("step {}", of.first) : fmt::format("steps {} to {}", of.first, of.last));
  return text;
}

void add_finding(const Finding& of, const Advice& advice, std::string& text) {
  text += fmt::format("{}: {:.3f} ms a step ({:.1f} %), explains {:.0f} % of the lag\n", of.cause, of.lost_ms,
                      100 * of.share, 100 * of.confidence);
  text += fmt::format("  where      {}\n", where(of, advice.ranks));
  for (std::size_t e = 0; e < of.evidence.size(); ++e) {
    const Evidence& item = of.evidence[e];
    text += fmt::format("  {:<10} {}: {:.4g}{}{} (limit {:.4g}){}\n", e == 0 ? "evidence" : "", item.what, item.value,
                        item.unit.empty() ? "" : " ", item.unit, item.threshold,
                        item.place.empty() ? "" : "  " + item.place);
  }
  for (std::size_t i = 0; i < of.ruled_out.size(); ++i)
    text += fmt::format("  {:<10} {}: {}\n", i == 0 ? "ruled out" : "", of.ruled_out[i].cause, of.ruled_out[i].why);
  for (std::size_t i = 0; i < of.remedies.size(); ++i)
    text += fmt::format("  {:<10} {}{}\n", i == 0 ? "remedy" : "", of.remedies[i].text,
                        i > 0 ? ""
                              : fmt::format(" ({}{:.3f} ms a step)", of.remedies[i].bound ? "at most " : "gains ",
                                            of.remedies[i].gain_ms));
  for (std::size_t i = 0; i < of.missing.size(); ++i)
    text += fmt::format("  {:<10} {}\n", i == 0 ? "missing" : "", of.missing[i]);
}

ordered_json json_of(const Finding& of) {
  ordered_json evidence = ordered_json::array(), out = ordered_json::array(), remedies = ordered_json::array();
  for (const Evidence& item : of.evidence)
    evidence.push_back({{"what", item.what},
                        {"value", item.value},
                        {"threshold", item.threshold},
                        {"unit", item.unit},
                        {"place", item.place}});
  for (const RuledOut& item : of.ruled_out) out.push_back({{"cause", item.cause}, {"why", item.why}});
  for (const Remedy& item : of.remedies)
    remedies.push_back({{"text", item.text}, {"gain_ms", item.gain_ms}, {"bound", item.bound}});
  ordered_json links = ordered_json::array();
  for (const auto& [from, to] : of.links) links.push_back({from, to});
  ordered_json json{{"cause", of.cause},
                    {"ranks", of.ranks},
                    {"links", links},
                    {"operators", of.operators},
                    {"steps", {of.first, of.last}},
                    {"lost_ms", of.lost_ms},
                    {"confidence", of.confidence},
                    {"evidence", evidence},
                    {"ruled_out", out},
                    {"remedies", remedies},
                    {"missing", of.missing}};
  if (!of.side.empty()) json["side"] = of.side;
  return json;
}

}  // namespace

std::string advice_text(const Advice& advice) {
  std::string text;
  for (const Finding& finding : advice.findings) {
    add_finding(finding, advice, text);
    text += '\n';
  }
  if (advice.findings.empty()) text += "nothing found that costs 1 % of a step\n\n";
  text += fmt::format("{} ranks, {} steps of {:.3f} ms usually, {} slow\n", advice.ranks, advice.steps,
                      advice.usual_ms, advice.slow);
  for (const Finding& of : advice.infos)
    text += fmt::format("info: {}, {}: {:.3f} ms a step ({:.2f} %)\n", of.cause, where(of, advice.ranks), of.lost_ms,
                        100 * of.share);
  for (const Missing& missing : advice.missing)
    text += fmt::format("not seen: {}, needed for {}\n", missing.column, missing.needed_for);
  return text;
}

ordered_json advice_json(const Advice& advice) {
  ordered_json findings = ordered_json::array(), infos = ordered_json::array(), missing = ordered_json::array();
  for (const Finding& finding : advice.findings) findings.push_back(json_of(finding));
  for (const Finding& finding : advice.infos) infos.push_back(json_of(finding));
  for (const Missing& of : advice.missing) missing.push_back({{"column", of.column}, {"needed_for", of.needed_for}});
  return {{"schema_version", 1},        {"ranks", advice.ranks}, {"steps", advice.steps},
          {"slow_steps", advice.slow},  {"usual_ms", advice.usual_ms}, {"findings", findings},
          {"info", infos},              {"missing", missing}};
}

}  // namespace a3sim
