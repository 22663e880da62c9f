#include "sim/search/search_findings.h"

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

constexpr std::size_t kMostJudged = 4;
constexpr std::size_t kMostOthers = 24;  // that may gain where the ones before them do not

// Finds the candidate whose gain may be claimed.
class Settling {
 public:
  Settling(const SearchProblem& problem, const SearchOptions& options, SearchFindings& findings,
           CandidateRuns& runs)
      : problem_(problem),
        options_(options),
        findings_(findings),
        outcome_(findings.outcome),
        runs_(runs),
        judge_(problem, options, findings.outcome, runs) {}

  // Judges the winner and, as long as nothing may be claimed, the best of the others. If none holds, the first one stands,
  // with its judgement.
  void settle() {
    leave_out_unsound(outcome_, findings_.left_out, [&](const Candidate& candidate) {
      return runs_.why_unsound(candidate, outcome_.ladder.back().scenarios.front());
    });
    const std::size_t first = outcome_.best;
    findings_.reverted = simplify(problem_, options_, outcome_, runs_, true);
    judge_winner();
    const Judgement of_first = findings_.judgement;
    const bool first_is_shipped = findings_.shipped_order;
    while (!findings_.claims() && judged_.size() < kMostJudged) {
      const std::optional<std::size_t> next = next_one();
      if (!next) break;
      outcome_.best = *next;
      judge_winner();
    }
    // Stands as it ran, for a choice that gains nothing as configured may gain at an end of a range.
    if (findings_.claims() && (outcome_.best != first || findings_.shipped_order))
      findings_.reverted = simplify(problem_, options_, outcome_, runs_, false);
    if (findings_.claims() || outcome_.best == first) return;
    outcome_.best = first;
    findings_.judgement = of_first;
    findings_.shipped_order = first_is_shipped;
  }

  Judge& judge() { return judge_; }

 private:
  void judge_winner() {
    judged_.push_back(outcome_.best);
    const std::uint32_t number = outcome_.winner().number;
    if (number == 0) return;
    take_shipped_order();
    findings_.judgement = judge_.judge(outcome_.trained(), nullptr, !findings_.shipped_order);
    const Judgement& judgement = findings_.judgement;
    if (judgement.claims() || judgement.verdict == GainVerdict::kNothing) return;
    findings_.left_out.push_back({number, outcome_.trained(), judgement.verdict, judgement.why});
    if (!judgement.ranges.known()) not_known_.push_back(judgement.ranges);
  }

  // Replaces the winner's order by a shipped one that is as fast with the winner's settings.
  void take_shipped_order() {
    findings_.shipped_order = false;
    const std::optional<std::size_t> start = judge_.verifier().start_as_fast();
    if (!start) return;
    ScoredCandidate& winner = outcome_.candidates[outcome_.best];
    const std::optional<ScoredCandidate> as_shipped =
        scored_with_order(problem_, options_, outcome_, runs_, winner, *start);
    if (!as_shipped || *as_shipped->scores.back() > *winner.scores.back() + kLeastGain) return;
    winner = *as_shipped;
    findings_.shipped_order = true;
  }

  std::optional<std::size_t> next_one() {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < outcome_.candidates.size(); ++i) {
      const ScoredCandidate& candidate = outcome_.candidates[i];
      if (std::ranges::count(judged_, i) == 0 && candidate.number > 0 && candidate.finished() &&
          *candidate.scores.back() <= 1 - kLeastGain)
        others.push_back(i);
    }
    const auto score = [&](std::size_t i) { return *outcome_.candidates[i].scores.back(); };
    std::ranges::stable_sort(others, {}, score);
    // The best of each score, since equal ones are mostly the same order but for what does not matter.
    const auto [first, last] = std::ranges::unique(others, {}, score);
    others.erase(first, last);
    others.resize(std::min(others.size(), kMostOthers));
    return first_that_gains(problem_, options_, outcome_, runs_, not_known_, others);
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  SearchFindings& findings_;
  SearchOutcome& outcome_;
  CandidateRuns& runs_;
  Judge judge_;
  std::vector<std::size_t> judged_;
  std::vector<GainRanges> not_known_;
};

}  // namespace

void leave_out_unsound(SearchOutcome& outcome, std::vector<LeftOut>& left_out,
                       const WhyUnsound& why_unsound) {
  while (outcome.winner().number > 0) {
    std::string why = why_unsound(outcome.winner().candidate);
    if (why.empty()) return;
    left_out.push_back({outcome.winner().number, outcome.trained(), GainVerdict::kDenied,
                        "'a3sim check' refuses its schedules: " + why});
    outcome.candidates[outcome.best].scores.back().reset();
    const auto score = [](const ScoredCandidate& candidate) {
      return candidate.scores.back().value_or(INFINITY);
    };
    const auto best = std::ranges::min_element(outcome.candidates, {}, score);
    outcome.best = static_cast<std::size_t>(best - outcome.candidates.begin());
  }
}

SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs) {
  SearchFindings findings{};
  findings.outcome = search(problem, options, runs);
  const SearchOutcome& outcome = findings.outcome;
  if (options.found) options.found(outcome);
  Settling settling(problem, options, findings, runs);
  settling.settle();
  findings.effects = effects_of(problem, outcome);
  findings.regrets = regrets_of(outcome);
  findings.front = front_of(outcome);
  findings.lists = move_tasks(problem, options, outcome, runs);
  const NamedOrder* const lists = findings.lists.gained() ? &findings.lists.listed : nullptr;
  if (lists) findings.judgement = settling.judge().judge(findings.trained(), lists, true);
  findings.bound = bound_distance(outcome, runs, lists ? &lists->order : nullptr);
  if (findings.gained())
    findings.no_runtime_files =
        runs.why_no_runtime_files(outcome.winner().candidate, outcome.ladder.back().scenarios.front());
  const bool start_alone = !findings.claims() && problem.starts()[outcome.reference].sorted;
  findings.stated = start_alone ? problem.from_start(outcome.reference) : outcome.winner().candidate;
  return findings;
}

std::uint32_t until_most_of(const SearchOutcome& outcome) {
  const std::vector<double>& curve = outcome.curve;
  if (curve.empty() || curve.back() >= 1) return 0;
  const double enough = 1 - 0.9 * (1 - curve.back());
  const auto first = std::ranges::find_if(curve, [&](double score) { return score <= enough; });
  return static_cast<std::uint32_t>(first - curve.begin()) + 1;
}

}  // namespace a3sim
