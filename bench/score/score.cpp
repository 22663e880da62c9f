#include "bench/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/score/isolation.h"
#include "bench/score/truth.h"
#include "bench/score/vendor.h"
#include "sim/core/error.h"
#include "sim/diagnosis/locate/rank_step.h"

namespace a3sim {
namespace {

const Answer& answer_to(const Truth& truth, const std::vector<Answer>& answers) {
  for (const Answer& answer : answers)
    if (answer.kind == truth.kind && truth.entry.find(answer.with) != std::string::npos) return answer;
  throw InputError(fmt::format("answers.yaml: none for faults of the kind '{}'", truth.kind));
}

bool names(const Answer& answer, const std::string& cause) {
  return std::ranges::find(answer.causes, cause) != answer.causes.end();
}

// Returns whether jobs lose time by this cause without any fault.
bool lost_by_itself(const std::vector<Answer>& answers, const std::string& cause) {
  return std::ranges::any_of(
      answers, [&](const Answer& answer) { return answer.kind == "none" && names(answer, cause); });
}

bool meets(const Truth& truth, const Finding& finding) {
  return finding.first <= truth.last && finding.last >= truth.first;
}

// Returns whether at least half of a finding's steps are of the fault.
bool in_steps(const Truth& truth, const Finding& finding) {
  if (!meets(truth, finding)) return false;
  const std::uint64_t both =
      std::min(finding.last, truth.last) - std::max(finding.first, truth.first) + std::uint64_t{1};
  return 2 * both >= finding.last - finding.first + std::uint64_t{1};
}

// Whether a finding names a cable "leaf3->spine1", be it as one of several, both its ways, or a switch at its end.
bool is_named(const std::string& cable, const Finding& finding) {
  const std::size_t arrow = cable.find("->");
  const std::string from = cable.substr(0, arrow);
  const std::string to = arrow == std::string::npos ? "" : cable.substr(arrow + 2);
  const std::string back = to.substr(0, to.find('#')), number = to.substr(back.size());
  for (const std::string& name :
       {cable, from + '-' + to, back + '-' + from + number, "switch " + from, "switch " + back})
    if (std::ranges::find(finding.cables, name) != finding.cables.end()) return true;
  return false;
}

bool at_place(const Truth& truth, const Answer& answer, const Finding& finding) {
  switch (answer.place) {
    case Answer::Place::kRanks:
      return std::set(finding.ranks.begin(), finding.ranks.end()) == truth.ranks;
    case Answer::Place::kLinks:
      return std::set(finding.links.begin(), finding.links.end()) == truth.links;
    case Answer::Place::kOperators:
      return std::set(finding.operators.begin(), finding.operators.end()) == truth.operators;
    case Answer::Place::kCables:
      return std::ranges::all_of(truth.cables,
                                 [&](const std::string& cable) { return is_named(cable, finding); });
    case Answer::Place::kNothing:
      return true;
  }
  return false;
}

template <class T>
bool share_any(const std::set<T>& truth, const std::vector<T>& named) {
  return std::ranges::any_of(named, [&](const T& item) { return truth.contains(item); });
}

// Returns whether a finding names a part of a fault's place.
bool near_place(const Truth& truth, const Answer& answer, const Finding& finding) {
  switch (answer.place) {
    case Answer::Place::kRanks:
      return share_any(truth.ranks, finding.ranks);
    case Answer::Place::kLinks:
      return share_any(truth.links, finding.links);
    case Answer::Place::kOperators:
      return share_any(truth.operators, finding.operators);
    case Answer::Place::kCables:
      return finding.cables.empty() || std::ranges::any_of(truth.cables, [&](const std::string& cable) {
               return is_named(cable, finding);
             });
    case Answer::Place::kNothing:
      return true;
  }
  return false;
}

bool explains(const Truth& truth, const Answer& answer, const Finding& finding) {
  return names(answer, finding.cause) && in_steps(truth, finding) && near_place(truth, answer, finding);
}

// Returns whether a finding names a rank that none of the faults in its steps concerns.
bool blames_healthy(const std::vector<Truth>& truths, const Finding& finding) {
  std::set<std::uint32_t> faulty;
  for (const Truth& truth : truths) {
    if (!meets(truth, finding)) continue;
    if (truth.ranks.empty() && truth.links.empty()) return false;  // the fault concerns the whole job
    faulty.insert(truth.ranks.begin(), truth.ranks.end());
    for (const auto& [from, to] : truth.links) faulty.insert({from, to});
  }
  std::set<std::uint32_t> named(finding.ranks.begin(), finding.ranks.end());
  for (const auto& [from, to] : finding.links) named.insert({from, to});
  return finding.cause != kCauseOpen && !std::ranges::includes(faulty, named);
}

void score_fault(const Truth& truth, const Answer& answer, const Advice& advice, ScoredFault& fault) {
  for (const Finding& finding : advice.findings) {
    if (!explains(truth, answer, finding)) continue;
    const std::uint32_t delay = finding.first > fault.felt ? finding.first - fault.felt : 0;
    fault.delay = fault.found ? std::min(fault.delay, delay) : delay;
    fault.found = true;
    fault.placed = fault.placed || at_place(truth, answer, finding);
  }
}

void score_findings(const std::vector<Truth>& truths, const std::vector<Answer>& answers,
                    const Advice& advice, ScoredJob& job) {
  for (const Finding& finding : advice.findings) {
    const bool right = std::ranges::any_of(
        truths, [&](const Truth& truth) { return explains(truth, answer_to(truth, answers), finding); });
    // A finding with an open cause claims nothing, unless an open cause is the right answer.
    if (finding.steady && !right && lost_by_itself(answers, finding.cause)) continue;
    if (finding.cause == kCauseOpen && !right) {
      ++job.open;
      continue;
    }
    ScoredFinding& scored = job.findings.emplace_back();
    scored.cause = finding.cause;
    scored.explains = finding.explains;
    scored.confidence = finding.confidence;
    scored.right = right;
    scored.healthy = blames_healthy(truths, finding);
  }
}

void score_vendor(const VendorFindings& vendor, const std::vector<Truth>& truths,
                  const std::vector<Answer>& answers, ScoredJob& job) {
  VendorFindings right;
  for (std::size_t t = 0; t < truths.size(); ++t) {
    const Answer& answer = answer_to(truths[t], answers);
    for (const auto& finding : vendor) {
      const bool place = truths[t].ranks.empty() || truths[t].ranks.contains(finding.second);
      if (!names(answer, finding.first) || !place) continue;
      job.faults[t].vendor = true;
      right.insert(finding);
    }
  }
  job.vendor_findings = static_cast<std::uint32_t>(vendor.size());
  job.vendor_right = static_cast<std::uint32_t>(right.size());
}

}  // namespace

std::vector<Answer> read_answers(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  std::vector<Answer> answers = read_answers(Config::load(file, {}, diagnostics));
  diagnostics.throw_if_any();
  return answers;
}

std::vector<Answer> read_answers(const Config& root) {
  std::vector<Answer> answers;
  for (const Config& entry : root.maps("answers")) {
    Answer& answer = answers.emplace_back();
    answer.kind = entry.text("kind");
    answer.with = entry.text("with", "");
    answer.causes = entry.texts("causes");
    answer.place = static_cast<Answer::Place>(
        entry.choice("place", {"ranks", "links", "operators", "cables", "nothing"}));
    entry.finish();
  }
  root.finish();
  return answers;
}

ScoredJob score(const Observation& observation, const std::filesystem::path& truth_file,
                const RuleBook& rules, const std::vector<Answer>& answers) {
  const std::vector<Truth> truths = read_truth(truth_file);
  const Advice advice = advise(observation, rules);
  std::vector<double> took;
  RankSteps steps(observation.ranks());
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    steps.add(records);
    took.push_back(steps.took());
  });
  RankSteps usual(observation.ranks());
  usual.add(observation.reference());
  ScoredJob job;
  const std::vector<StepsWithout> without = read_isolated(truth_file.parent_path(), truths, took.size());
  job.isolated = !without.empty() || truths.empty();
  for (std::size_t t = 0; t < truths.size(); ++t) {
    const Truth& truth = truths[t];
    ScoredFault& fault = job.faults.emplace_back();
    fault.kind = truth.kind;
    fault.first = truth.first;
    fault.last = truth.last;
    const TruthEffect effect =
        without.empty() ? effect_of(truth, truths, took, usual.took()) : effect_of(truth, took, without[t]);
    fault.felt = effect.felt;
    fault.slowdown = effect.slowdown;
    score_fault(truth, answer_to(truth, answers), advice, fault);
  }
  score_findings(truths, answers, advice, job);
  score_vendor(vendor_findings(observation), truths, answers, job);
  for (std::uint32_t s = 0; s < took.size(); ++s) job.healthy += !in_a_fault(truths, s);
  for (const std::uint32_t step : advice.slow_steps) job.false_slow += !in_a_fault(truths, step);
  return job;
}

}  // namespace a3sim
