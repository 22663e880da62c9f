#include "sim/study/search/search_findings.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace a3sim {
namespace {

constexpr std::size_t kMostLeftOut = 5;

// Simplifies the winner. If its gain does not hold in the ranges of what is known, does the same with the best candidate
// whose gain does, as long as there is one.
void settle_winner(const SearchProblem& problem, const SearchOptions& options, SearchFindings& findings,
                   CandidateRuns& runs) {
  SearchOutcome& outcome = findings.outcome;
  std::vector<GainRanges> of_left_out;
  std::set<std::size_t> left_out;
  while (true) {
    leave_out_unsound(outcome, findings.left_out, [&](const Candidate& candidate) {
      return runs.why_unsound(candidate, outcome.ladder.back().scenarios.front());
    });
    // Another winner stands as it ran: its gain may hold by a choice that gains nothing as configured.
    findings.reverted = simplify(problem, options, outcome, runs, left_out.empty());
    if (!findings.gained()) return;
    findings.ranges = gain_ranges(problem, options, outcome, runs);
    if (findings.ranges.holds() || findings.left_out.size() >= kMostLeftOut) return;
    of_left_out.push_back(findings.ranges);
    left_out.insert(outcome.best);
    const std::optional<std::size_t> next = best_that_holds(options, outcome, of_left_out, left_out, runs);
    if (!next) return;
    findings.left_out.push_back(
        {outcome.winner().number, outcome.trained(), weakest_end(findings.ranges), {}});
    outcome.best = *next;
  }
}

}  // namespace

void leave_out_unsound(SearchOutcome& outcome, std::vector<LeftOut>& left_out,
                       const WhyUnsound& why_unsound) {
  while (outcome.winner().number > 0) {
    std::string why = why_unsound(outcome.winner().candidate);
    if (why.empty()) return;
    left_out.push_back({outcome.winner().number, outcome.trained(), {}, std::move(why)});
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
  settle_winner(problem, options, findings, runs);
  findings.effects = effects_of(problem, findings.outcome);
  findings.regrets = regrets_of(findings.outcome);
  findings.front = front_of(findings.outcome);
  findings.lists = move_tasks(problem, options, findings.outcome, runs);
  const NamedOrder* const lists = findings.lists.gained() ? &findings.lists.listed : nullptr;
  if (lists) findings.ranges = gain_ranges(problem, options, findings.outcome, runs, lists);
  findings.held_out = judge(problem, options, findings.outcome, runs, lists);
  findings.bound = bound_distance(findings.outcome, runs, lists ? &lists->order : nullptr);
  const SearchOutcome& outcome = findings.outcome;
  if (findings.gained())
    findings.no_runtime_files =
        runs.why_no_runtime_files(outcome.winner().candidate, outcome.ladder.back().scenarios.front());
  const bool start_alone = !findings.holds(options) && problem.starts()[outcome.reference].sorted;
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
