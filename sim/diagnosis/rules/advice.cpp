#include "sim/diagnosis/rules/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/diagnosis/rules/choice.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

constexpr double kMsOfPs = 1e-9;

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
  finding.confidence *= 1 - finding.doubt;
  finding.doubt = 0;
  for (Remedy& remedy : finding.remedies) remedy.gain_ms = finding.lost_ms;
}

Finding open_cause(const Case& of) {
  Finding finding;
  finding.cause = kCauseOpen;
  const std::uint32_t suspect = of.episode.suspect();
  if (suspect != kNone && of.episode.stable() >= 0.5) finding.ranks = {suspect};
  const std::uint32_t shown = finding.ranks.empty() ? 0 : suspect;
  finding.confidence = 1;
  finding.add({"a slow step takes, of a usual one", "", 1 + of.lag() / std::max(1.0, of.usual()), 1,
               of.place(shown)});
  finding.remedies.push_back({"record slow steps in full: a3sim monitor --record same", 0, true});
  if (of.full.empty()) finding.missing.push_back("operators, transfers and host events of a slow step");
  return finding;
}

// An episode without full records whose slow steps look like those of one before: a suspect of that one, and a lag that
// is about the same.
const Finding* like_before(const Case& of, const std::vector<std::pair<const Episode*, Finding>>& before) {
  constexpr double kNear = 0.5;
  const std::uint32_t suspect = of.episode.suspect();
  for (const auto& [episode, finding] : before) {
    if (!episode->suspects.contains(suspect) || finding.cause == kCauseOpen) continue;
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

// A usual step in full, to hold slow ones against: one without noise and faults; else the middle one of those that were
// recorded of most ranks and were not slow; empty: there is none.
FullStep usual_full(const Observation& of, const Located& located) {
  FullStep reference = of.reference_full();
  if (!reference.operators.empty()) return reference;
  std::vector<std::uint32_t> usual;
  for (const std::uint32_t step : of.full_steps())
    if (!located.is_slow(step)) usual.push_back(step);
  return usual.empty() ? FullStep() : of.full(usual[usual.size() / 2]);
}

// Steps by what the source calls them.
void renumber(const Observation& of, Advice& advice) {
  for (std::uint32_t& step : advice.slow_steps) step = of.number_of(step);
  for (std::vector<Finding>* findings : {&advice.findings, &advice.infos}) {
    for (Finding& finding : *findings) {
      finding.first = of.number_of(finding.first);
      finding.last = of.number_of(finding.last);
    }
  }
}

// The steps that rules are asked of what every step loses. With a step without faults and noise it is that one: what it
// loses as well is the job's, not something that went wrong.
std::optional<Standing> standing_of(const Observation& of, const Located& located, const FullStep& reference,
                                    const RuleData& shared) {
  constexpr std::size_t kMostSteps = 3;
  const std::vector<LightRecord> light = of.reference();
  if (!light.empty()) {
    RankSteps steps(of.ranks());
    std::vector<RankStep> ranks = steps.add(light);
    std::vector<FullStep> full;
    if (!reference.operators.empty()) full.push_back(reference);
    return make_standing(of, kNone, std::move(ranks), steps.took(), std::move(full), shared);
  }
  if (!located.known || located.usual <= 0) return {};
  std::vector<FullStep> full;
  for (const std::uint32_t step : of.full_steps())
    if (!located.is_slow(step) && full.size() < kMostSteps) full.push_back(of.full(step));
  std::uint32_t usual = 0;
  while (located.is_slow(usual)) ++usual;
  return make_standing(of, usual, located.healthy, located.usual, std::move(full), shared);
}

// What a low clock slows down of the same ranks is its doing.
void leave_out_what_clocks_do(std::vector<Finding>& findings) {
  const auto clock = std::ranges::find(findings, "compute.clock", &Finding::cause);
  if (clock == findings.end()) return;
  const std::vector<std::uint32_t> slow = clock->ranks;
  std::erase_if(findings, [&](const Finding& of) {
    return of.cause == "compute.underused" && std::ranges::find_first_of(of.ranks, slow) != of.ranks.end();
  });
}

// What every step loses, what costs most first, without the causes that slow steps have already.
std::vector<Finding> standing_findings(const Standing& of, const RuleBook& rules, std::uint32_t last,
                                       const std::vector<Finding>& found) {
  std::vector<Finding> findings;
  for (const auto& [name, item] : CauseRules::all()) {
    if (std::ranges::any_of(found, [&](const Finding& other) { return other.cause == name; })) continue;
    const RuleData& data = rules.causes.at(name);
    for (Finding& finding : item.object->stands(of, data)) {
      finding.cause = name;
      finding.standing = true;
      finding.last = last;
      finding.share = finding.lost_ms / kMsOfPs / of.took;
      finding.info |= finding.share < rules.shared.at("info");
      for (const auto* remedies : {&data.standing_remedies(), &data.remedies()})
        for (const std::string& text : *remedies) finding.remedies.push_back({text, finding.lost_ms, true});
      findings.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(findings,
                           [](const Finding& a, const Finding& b) { return a.lost_ms > b.lost_ms; });
  leave_out_what_clocks_do(findings);
  return findings;
}

void add_standing(const Observation& of, const Located& located, const FullStep& reference,
                  const RuleBook& rules, Advice& advice) {
  const std::optional<Standing> standing = standing_of(of, located, reference, rules.shared);
  if (!standing || located.steps == 0) return;
  std::vector<Finding> known = advice.findings;
  known.insert(known.end(), advice.infos.begin(), advice.infos.end());
  const bool with_reference = !of.reference().empty();
  for (Finding& finding : standing_findings(*standing, rules, located.steps - 1, known)) {
    finding.info |= with_reference;
    (finding.info ? advice.infos : advice.findings).push_back(std::move(finding));
  }
}

}  // namespace

RuleBook read_rules(const std::filesystem::path& folder) {
  RuleBook rules;
  rules.locate = read_locate_limits(folder / "locate.yaml");
  rules.shared = RuleData::read(folder / "shared.yaml");
  for (const auto& [name, item] : CauseRules::all())
    rules.causes.emplace(name, RuleData::read(folder / (name + ".yaml")));
  return rules;
}

Advice advise(const Observation& of, const RuleBook& rules) {
  const Located located = locate(of, rules.locate);
  Advice advice;
  advice.ranks = of.ranks();
  advice.steps = located.steps;
  advice.usual_ms = kMsOfPs * located.usual;
  advice.missing = of.missing();
  const FullStep reference = usual_full(of, located);
  std::vector<std::pair<const Episode*, Finding>> found;
  for (const Episode& episode : located.episodes) {
    advice.slow += static_cast<std::uint32_t>(episode.steps.size());
    advice.slow_steps.insert(advice.slow_steps.end(), episode.steps.begin(), episode.steps.end());
    const Case one = make_case(of, located, episode, reference, rules.shared);
    for (Finding& finding : advise_on(one, rules, found)) found.emplace_back(&episode, std::move(finding));
  }
  std::vector<Finding> findings;
  for (auto& [episode, finding] : found) findings.push_back(std::move(finding));
  for (Finding& finding : join(std::move(findings))) {
    finding.info = finding.share < rules.shared.at("info");
    (finding.info ? advice.infos : advice.findings).push_back(std::move(finding));
  }
  add_standing(of, located, reference, rules, advice);
  advice.path = path_parts(of, located);
  renumber(of, advice);
  return advice;
}

}  // namespace a3sim
