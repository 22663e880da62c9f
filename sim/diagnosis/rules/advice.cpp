#include "sim/diagnosis/rules/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/diagnosis/rules/choice.h"
#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/profile_means.h"
#include "sim/diagnosis/rules/rule.h"
#include "sim/diagnosis/rules/step_signs.h"

namespace a3sim {
namespace {

constexpr double kMsOfPs = 1e-9;

// Adds the remedies of a cause, unless the rule has said better ones. Those that only a framework or a real network has are
// for profiles.
void add_remedies(const Observation& observation, const std::vector<RemedyPlan>& plans, Finding& finding) {
  if (finding.own_remedies) return;
  const ProfiledTime* time = observation.profiled_time();
  // Jobs are simulated on Ascend, so its remedies are theirs, too.
  const auto other = time && time->pytorch ? RemedyPlan::Profiler::kAscend : RemedyPlan::Profiler::kPytorch;
  for (const RemedyPlan& plan : plans)
    if ((time || !plan.hardware) && plan.profiler != other)
      finding.remedies.push_back({plan.text, plan.change, finding.lost_ms});
}

std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleBook& rules) {
  std::vector<Finding> findings;
  for (const auto& [name, item] : CauseRules::all()) {
    const RuleData& data = rules.causes.at(name);
    for (Finding& finding : item.object->diagnose_slowdown(slowdown, data)) {
      finding.cause = name;
      add_remedies(slowdown.observation, data.remedies(), finding);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

// Returns how often findings that explain as much were right.
double confidence_of(const Finding& finding, const RuleData& measured) {
  if (finding.cause == kCauseOpen) return 0;
  const double share = finding.explains;
  const char* key = finding.steady  ? "standing"
                    : share >= 0.95 ? "explains_95"
                    : share >= 0.75 ? "explains_75"
                    : share >= 0.5  ? "explains_50"
                                    : "explains_25";
  return measured.at(key) * (1 - finding.doubt);
}

// Lowers the confidence of findings about hosts of ranks that may have waited for other ranks, unseen.
void doubt_unseen_exchanges(const Observation& observation, const RuleData& shared, Finding& finding) {
  if (!finding.cause.starts_with("host.") && !finding.cause.starts_with("io.")) return;
  const bool seen =
      std::ranges::all_of(finding.ranks, [&](std::uint32_t r) { return observation.exchanges_seen(r); });
  if (seen) return;
  finding.confidence *= 1 - shared.at("exchanges_unseen");
  finding.missing.emplace_back("communication.json: did these ranks wait for others?");
}

// Returns the finding's steps with their lost time: one part, or the quarters of a fault that grows.
std::vector<FindingPart> steps_in_parts(const Episode& episode, const Finding& finding) {
  if (!episode.grows())
    return {{finding.first, finding.last, finding.ranks, finding.lost_ms, finding.factor}};
  constexpr std::size_t kQuarters = 4;
  std::vector<FindingPart> parts;
  const std::size_t count = episode.steps.size();
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const std::size_t from = q * count / kQuarters, to = (q + 1) * count / kQuarters;
    FindingPart& part =
        parts.emplace_back(FindingPart{episode.steps[from], episode.steps[to - 1], finding.ranks, 0, 0});
    for (std::size_t i = from; i < to; ++i) part.lost_ms += kMsOfPs * finding.explains * episode.lost_each[i];
    part.lost_ms /= part.last - part.first + 1;
    // The records are those of its end.
    if (q + 1 == kQuarters) part.factor = finding.factor;
  }
  return parts;
}

// Ends the steps of a finding about hosts where its ranks no longer wait for them: other faults may slow the steps around.
void end_where_no_rank_waits(const Slowdown& slowdown, Finding& finding) {
  const auto [first, last] = host_steps(slowdown, finding.ranks);
  const std::vector<std::uint32_t>& steps = slowdown.episode.steps;
  const bool of_host = finding.cause.starts_with("host.") || finding.cause.starts_with("io.");
  if (!of_host || first >= last || last - first == steps.size() || slowdown.episode.grows()) return;
  claim_steps(slowdown, first, last, finding);
}

void fill_in(const Slowdown& slowdown, const std::vector<StepSigns>& signs, const RuleBook& rules,
             Finding& finding) {
  finding.first = slowdown.episode.first();
  finding.last = slowdown.episode.last();
  finding.lost_ms = kMsOfPs * slowdown.episode.lost * finding.explains;
  end_where_no_rank_waits(slowdown, finding);
  keep_to_signs(slowdown, signs, finding);
  finding.share = slowdown.usual() > 0 ? finding.lost_ms / (kMsOfPs * slowdown.usual()) : 0;
  finding.confidence = confidence_of(finding, rules.confidence);
  doubt_unseen_exchanges(slowdown.observation, rules.shared, finding);
  finding.parts = steps_in_parts(slowdown.episode, finding);
  if (slowdown.episode.borrowed)
    finding.missing.push_back("full records of some of these steps: they look like those before");
  for (Remedy& remedy : finding.remedies) remedy.gain_ms = finding.lost_ms;
}

Finding open_cause(const Slowdown& slowdown) {
  Finding finding;
  finding.cause = kCauseOpen;
  const std::uint32_t suspect = slowdown.episode.suspect();
  if (suspect != kNone && slowdown.episode.stable() >= 0.5) finding.ranks = {suspect};
  const std::uint32_t shown = finding.ranks.empty() ? 0 : suspect;
  finding.explains = 1;
  finding.add({"a slow step takes {} of a usual one", "",
               1 + slowdown.lag() / std::max(1.0, slowdown.usual()), 1, slowdown.place(shown)});
  const ProfiledTime* time = slowdown.observation.profiled_time();
  finding.remedies.push_back({time && time->pytorch
                                  ? "trace slow steps and usual ones of all ranks, the host's activities too"
                              : time ? "profile slow steps and usual ones of all ranks, with the host's "
                                       "activities and communication (profiler_level Level1)"
                                     : "record slow steps in full: a3sim run --steps N --record same"});
  const auto seen = [&](const auto& is_seen) {
    const std::vector<std::uint32_t> ranks = slowdown.observation.all_ranks();
    return std::ranges::all_of(ranks, is_seen);
  };
  if (slowdown.full.empty()) {
    finding.missing.push_back("operators, transfers and host events of a slow step");
    return finding;
  }
  if (!seen([&](std::uint32_t r) { return slowdown.observation.exchanges_seen(r); }))
    finding.missing.push_back("when ranks waited for others in a slow step");
  if (!seen([&](std::uint32_t r) { return slowdown.observation.hosts_seen(r); }))
    finding.missing.push_back("what hosts did in a slow step");
  return finding;
}

std::vector<Finding> advise_on(const Slowdown& slowdown, const std::vector<StepSigns>& signs,
                               const RuleBook& rules) {
  std::vector<Finding> findings =
      choose(diagnose_slowdown(slowdown, rules), slowdown.lag() / std::max(1.0, slowdown.usual()));
  if (findings.empty()) findings.push_back(open_cause(slowdown));
  const auto limits = [&](std::string_view cause, std::string_view threshold) {
    return rules.causes.find(cause)->second.at(threshold);
  };
  for (Finding& finding : findings) {
    finding.ruled_out = ruled_out(slowdown, finding, findings, limits);
    fill_in(slowdown, signs, rules, finding);
  }
  return findings;
}

// Returns the part of a slowdown that findings explain. Adds those of one rank, and slow ways, for whose bytes any rank may
// wait; of different ranks, the largest sum counts.
double explained_by(const std::vector<Finding>& findings, std::uint32_t ranks) {
  double most = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    double sum = 0;
    for (const Finding& finding : findings)
      if (finding.ranks.empty() || finding.cause.starts_with("comm.") ||
          std::ranges::binary_search(finding.ranks, rank))
        sum += finding.explains;
    most = std::max(most, sum);
  }
  return std::min(1.0, most);
}

// What rules say of all episodes, and where one of these turns out to hold two faults, one after the other.
struct Explained {
  std::vector<Finding> findings;
  std::vector<Unexplained> unexplained;
  std::vector<Turn> turns;
};

void add_unexplained(const Slowdown& slowdown, const std::vector<Finding>& findings, Explained& explained) {
  const double lost = (1 - explained_by(findings, slowdown.observation.ranks())) * slowdown.episode.lost;
  if (lost <= slowdown.shared.at("unexplained") * slowdown.usual()) return;
  explained.unexplained.push_back({slowdown.episode.first(), slowdown.episode.last(), kMsOfPs * lost});
}

// Adds the slow steps of an episode that no finding claims.
void add_unclaimed(const Slowdown& slowdown, const std::vector<Finding>& findings, Explained& explained) {
  const Episode& episode = slowdown.episode;
  Unexplained rest{kNone, 0, 0};
  for (std::size_t s = 0; s < episode.steps.size(); ++s) {
    const std::uint32_t step = episode.steps[s];
    if (std::ranges::any_of(findings,
                            [&](const Finding& one) { return one.first <= step && step <= one.last; }))
      continue;
    rest.first = std::min(rest.first, step);
    rest.last = step;
    rest.lost_ms += kMsOfPs * episode.lost_each[s];
  }
  if (rest.first == kNone) return;
  rest.lost_ms /= rest.last - rest.first + 1;
  if (rest.lost_ms > slowdown.shared.at("unexplained") * kMsOfPs * slowdown.usual())
    explained.unexplained.push_back(rest);
}

Explained explain(const Observation& observation, const Located& located, const FullStep& reference,
                  const RuleBook& rules) {
  Explained explained;
  for (const Episode& episode : located.episodes) {
    const Slowdown slowdown = make_slowdown(observation, located, episode, reference, rules.shared);
    const std::vector<StepSigns> signs =
        signs_of_steps(slowdown, [&](const Slowdown& one) { return diagnose_slowdown(one, rules); });
    std::vector<Finding> found = advise_on(slowdown, signs, rules);
    add_unexplained(slowdown, found, explained);
    add_unclaimed(slowdown, found, explained);
    std::ranges::move(found, std::back_inserter(explained.findings));
    std::ranges::move(turns_of(slowdown, signs), std::back_inserter(explained.turns));
  }
  return explained;
}

// Returns a full record of a usual step: the one without noise and faults, or the middle one of those that
// were recorded on most ranks and were not slow. Returns an empty step if there is none.
FullStep usual_full(const Observation& observation, const Located& located) {
  FullStep reference = observation.reference_full();
  if (!reference.operators.empty()) return reference;
  std::vector<std::uint32_t> usual;
  for (const std::uint32_t step : observation.full_steps())
    if (!located.is_slow(step)) usual.push_back(step);
  return usual.empty() ? FullStep() : observation.full(usual[usual.size() / 2]);
}

// Replaces step indices by the numbers that the source uses.
void renumber(const Observation& observation, Advice& advice) {
  for (Unexplained& part : advice.unexplained) {
    part.first = observation.number_of(part.first);
    part.last = observation.number_of(part.last);
  }
  for (std::uint32_t& step : advice.slow_steps) step = observation.number_of(step);
  for (std::vector<Finding>* findings : {&advice.findings, &advice.infos}) {
    for (Finding& finding : *findings) {
      finding.first = observation.number_of(finding.first);
      finding.last = observation.number_of(finding.last);
      for (FindingPart& part : finding.parts) {
        part.first = observation.number_of(part.first);
        part.last = observation.number_of(part.last);
      }
    }
  }
}

// Returns the steps in which rules look for constant losses. If there is a step without faults and noise, it
// is that one: what it loses is a property of the job, not of a fault.
std::optional<SteadyState> steady_state_of(const Observation& observation, const Located& located,
                                           const FullStep& reference, const RuleData& shared) {
  constexpr std::size_t kMostSteps = 3;
  const std::vector<LightRecord> light = observation.reference();
  if (!light.empty()) {
    RankSteps steps(observation.ranks());
    std::vector<RankStep> ranks = steps.add(light);
    std::vector<FullStep> full;
    if (!reference.operators.empty()) full.push_back(reference);
    return make_steady_state(observation, kNone, std::move(ranks), steps.took(), std::move(full), shared);
  }
  if (!located.known || located.usual <= 0) return {};
  std::vector<FullStep> full;
  for (const std::uint32_t step : observation.full_steps())
    if (!located.is_slow(step) && full.size() < kMostSteps) full.push_back(observation.full(step));
  std::uint32_t usual = 0;
  while (located.is_slow(usual)) ++usual;
  return make_steady_state(observation, usual, located.healthy, located.usual, std::move(full), shared);
}

// Removes findings that a low clock of the same ranks explains.
void leave_out_what_clocks_do(std::vector<Finding>& findings) {
  const auto clock = std::ranges::find(findings, "compute.clock", &Finding::cause);
  if (clock == findings.end()) return;
  const std::vector<std::uint32_t> slow = clock->ranks;
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.cause == "compute.underused" &&
           std::ranges::find_first_of(finding.ranks, slow) != finding.ranks.end();
  });
}

// Removes slow ranks of which another finding says why they are slow.
void leave_out_stragglers(std::vector<Finding>& findings, const std::vector<Finding>& found) {
  const auto says_why = [](const Finding& slow, const std::vector<Finding>& others) {
    return std::ranges::any_of(others, [&](const Finding& other) {
      const bool of_rank = other.cause.starts_with("compute.") || other.cause == "load.imbalance";
      return of_rank && other.cause != "compute.straggler" && other.lost_ms > 0 && !other.ranks.empty() &&
             std::ranges::includes(slow.ranks, other.ranks);
    });
  };
  std::vector<Finding> kept;
  for (const Finding& finding : findings)
    if (finding.cause != "compute.straggler" || (!says_why(finding, findings) && !says_why(finding, found)))
      kept.push_back(finding);
  findings = std::move(kept);
}

// Returns what every step loses, in descending order of cost, without the causes that slow steps already
// have.
std::vector<Finding> steady_findings(const SteadyState& job, const RuleBook& rules, std::uint32_t last,
                                     const std::vector<Finding>& found) {
  std::vector<Finding> findings;
  for (const auto& [name, item] : CauseRules::all()) {
    if (std::ranges::any_of(found, [&](const Finding& other) { return other.cause == name; })) continue;
    const RuleData& data = rules.causes.at(name);
    for (Finding& finding : item.object->diagnose_steady_state(job, data)) {
      finding.cause = name;
      finding.steady = true;
      finding.last = last;
      finding.share = finding.lost_ms / (finding.of_ms > 0 ? finding.of_ms : kMsOfPs * job.took);
      finding.healthy = job.step == kNone && !data.always();
      finding.info |= finding.share < rules.shared.at("info") || finding.healthy;
      finding.confidence = confidence_of(finding, rules.confidence);
      doubt_unseen_exchanges(job.observation, rules.shared, finding);
      for (const auto* remedies : {&data.standing_remedies(), &data.remedies()})
        add_remedies(job.observation, *remedies, finding);
      findings.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(findings,
                           [](const Finding& a, const Finding& b) { return a.lost_ms > b.lost_ms; });
  leave_out_what_clocks_do(findings);
  leave_out_stragglers(findings, found);
  return findings;
}

void add_steady(const Observation& observation, const Located& located, const FullStep& reference,
                const RuleBook& rules, Advice& advice) {
  const std::optional<SteadyState> state = steady_state_of(observation, located, reference, rules.shared);
  if (!state || located.steps == 0) return;
  std::vector<Finding> known = advice.findings;
  known.insert(known.end(), advice.infos.begin(), advice.infos.end());
  for (Finding& finding : steady_findings(*state, rules, located.steps - 1, known)) {
    (finding.info ? advice.infos : advice.findings).push_back(std::move(finding));
  }
}

// Adds where the time of a profile's ranks goes, and for whom they wait.
void add_shares(const ProfiledTime& time, Advice& advice) {
  const ProfileMeans means = profile_means(time, {});
  for (const auto& [rank, mean] : means.ranks)
    advice.time.push_back({rank, mean.steps, kMsOfPs * mean.length, kMsOfPs * mean.computing,
                           kMsOfPs * mean.transferring, kMsOfPs * mean.waiting, kMsOfPs * mean.still,
                           kMsOfPs * mean.undecided, kMsOfPs * mean.free, kMsOfPs * mean.hidden});
  for (const ProfiledGroup& group : time.groups) {
    if (group.kind == GroupKind::kUnknown && group.last.empty()) continue;
    GroupShares& shares = advice.groups.emplace_back(
        GroupShares{std::string(name_of(group.kind)), group.name, group.told, group.ranks});
    const auto last =
        std::ranges::max_element(group.last, {}, [](const auto& entry) { return entry.second.second; });
    if (last == group.last.end()) continue;
    shares.last = last->first;
    shares.times = last->second.first;
    shares.waits_ms = kMsOfPs * picoseconds(last->second.second) / steps_of(time, last->first);
  }
}

// Leaves out information on what costs little beside the largest finding.
void leave_out_little(double told, Advice& advice) {
  double most = 0;
  for (const Finding& finding : advice.findings) most = std::max(most, finding.lost_ms);
  std::erase_if(advice.infos,
                [&](const Finding& info) { return info.lost_ms > 0 && info.lost_ms < told * most; });
}

}  // namespace

RuleBook read_rules(const std::filesystem::path& folder) {
  RuleBook rules;
  rules.locate = read_locate_limits(folder / "locate.yaml");
  rules.shared = RuleData::read(folder / "shared.yaml");
  rules.confidence = RuleData::read(folder / "confidence.yaml");
  for (const auto& [name, item] : CauseRules::all())
    rules.causes.emplace(name, RuleData::read(folder / (name + ".yaml")));
  return rules;
}

Advice advise(const Observation& observation, const RuleBook& rules) {
  Located located = locate(observation, rules.locate);
  Advice advice;
  advice.ranks = observation.ranks();
  advice.steps = located.steps;
  advice.usual_ms = kMsOfPs * located.usual;
  advice.missing = observation.missing();
  const FullStep reference = usual_full(observation, located);
  Explained explained = explain(observation, located, reference, rules);
  if (!explained.turns.empty()) {
    located = locate(observation, rules.locate, explained.turns);
    explained = explain(observation, located, reference, rules);
  }
  advice.unexplained = std::move(explained.unexplained);
  for (const Episode& episode : located.episodes) {
    advice.slow += static_cast<std::uint32_t>(episode.steps.size());
    advice.slow_steps.insert(advice.slow_steps.end(), episode.steps.begin(), episode.steps.end());
  }
  for (Finding& finding : join(std::move(explained.findings))) {
    finding.info = finding.share < rules.shared.at("info");
    (finding.info ? advice.infos : advice.findings).push_back(std::move(finding));
  }
  add_steady(observation, located, reference, rules, advice);
  leave_out_little(rules.shared.at("told"), advice);
  if (const ProfiledTime* time = observation.profiled_time()) add_shares(*time, advice);
  advice.path = path_parts(observation, located);
  renumber(observation, advice);
  return advice;
}

}  // namespace a3sim
