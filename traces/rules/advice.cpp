#include "traces/rules/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/rules/choice.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

constexpr double kMsOfPs = 1e-9;
constexpr double kInfo = 0.01;  // of a step: findings that cost less are for information

std::vector<Finding> judge(const Case& of, const RuleBook& rules) {
  std::vector<Finding> findings;
  for (const auto& [name, item] : CauseRules::all()) {
    const RuleData& data = rules.causes.at(name);
    for (Finding& finding : item.object->judge(of, data)) {
      finding.cause = name;
      for (const std::string& text : data.remedies()) finding.remedies.push_back({text, 0, true});
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

void fill_in(const Case& of, Finding& finding) {
  finding.first = of.episode.first();
  finding.last = of.episode.last();
  finding.lost_ms = kMsOfPs * of.episode.lost * finding.confidence;
  finding.share = of.usual() > 0 ? of.episode.lost * finding.confidence / of.usual() : 0;
  for (Remedy& remedy : finding.remedies) remedy.gain_ms = finding.lost_ms;
}

Finding open_cause(const Case& of) {
  Finding finding;
  finding.cause = kCauseOpen;
  const std::uint32_t suspect = of.episode.suspect();
  if (suspect != kNone && of.episode.stable() >= 0.5) finding.ranks = {suspect};
  const std::uint32_t shown = finding.ranks.empty() ? 0 : suspect;
  finding.confidence = 1;
  finding.evidence.push_back({"a slow step takes, of a usual one", "", 1 + of.lag() / std::max(1.0, of.usual()), 1,
                              of.place(shown)});
  finding.remedies.push_back({"record slow steps in full: a3sim monitor --record same", 0, true});
  if (of.full.empty()) finding.missing.push_back("operators, transfers and host events of a slow step");
  return finding;
}

// An episode without full records whose slow steps look like those of one before: the same suspect, and a lag that
// is nearly the same.
const Finding* like_before(const Case& of, const std::vector<std::pair<const Episode*, Finding>>& before) {
  constexpr double kNear = 0.25;
  const std::uint32_t suspect = of.episode.suspect();
  for (const auto& [episode, finding] : before) {
    if (episode->suspect() != suspect || finding.cause == kCauseOpen) continue;
    const double then = episode->lost, now = of.episode.lost;
    if (std::abs(now - then) <= kNear * std::max(now, then)) return &finding;
  }
  return nullptr;
}

std::vector<Finding> advise_on(const Case& of, const RuleBook& rules,
                               const std::vector<std::pair<const Episode*, Finding>>& before) {
  std::vector<Finding> findings = choose(judge(of, rules));
  if (findings.empty()) {
    if (const Finding* like = of.full.empty() ? like_before(of, before) : nullptr) {
      findings.push_back(*like);
      findings.back().missing.push_back("full records of these steps: they look like those before");
    } else {
      findings.push_back(open_cause(of));
    }
  }
  for (Finding& finding : findings) {
    finding.ruled_out = ruled_out(of, finding, findings);
    fill_in(of, finding);
  }
  return findings;
}

}  // namespace

RuleBook read_rules(const std::filesystem::path& folder) {
  RuleBook rules;
  rules.locate = read_locate_limits(folder / "locate.yaml");
  for (const auto& [name, item] : CauseRules::all()) rules.causes.emplace(name, RuleData::read(folder / (name + ".yaml")));
  return rules;
}

Advice advise(const Observation& of, const RuleBook& rules) {
  const Located located = locate(of, rules.locate);
  Advice advice;
  advice.ranks = of.ranks();
  advice.steps = located.steps;
  advice.usual_ms = kMsOfPs * located.usual;
  advice.missing = of.missing();
  const FullStep reference = located.episodes.empty() ? FullStep() : of.reference_full();
  std::vector<std::pair<const Episode*, Finding>> found;
  for (const Episode& episode : located.episodes) {
    advice.slow += static_cast<std::uint32_t>(episode.steps.size());
    const Case one = make_case(of, located, episode, reference);
    for (Finding& finding : advise_on(one, rules, found)) found.emplace_back(&episode, std::move(finding));
  }
  std::vector<Finding> findings;
  for (auto& [episode, finding] : found) findings.push_back(std::move(finding));
  for (Finding& finding : join(std::move(findings))) {
    finding.info = finding.share < kInfo;
    (finding.info ? advice.infos : advice.findings).push_back(std::move(finding));
  }
  return advice;
}

}  // namespace a3sim
