#include "sim/study/search/search_findings.h"

#include <algorithm>

namespace a3sim {

SearchFindings search_and_explain(const SearchProblem& problem, const SearchOptions& options,
                                  CandidateRuns& runs) {
  SearchFindings findings{search(problem, options, runs), {}, {}, {}, {}, {}, {}, {}, {}};
  findings.reverted = simplify(problem, options, findings.outcome, runs);
  findings.effects = effects_of(problem, findings.outcome);
  findings.regrets = regrets_of(findings.outcome);
  findings.front = front_of(findings.outcome);
  findings.lists = move_tasks(problem, options, findings.outcome, runs);
  const NamedOrder* const lists = findings.lists.gained() ? &findings.lists.listed : nullptr;
  findings.held_out = judge(problem, options, findings.outcome, runs, lists);
  findings.bound = bound_distance(findings.outcome, runs, lists ? &lists->order : nullptr);
  const SearchOutcome& outcome = findings.outcome;
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
