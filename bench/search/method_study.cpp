#include "bench/search/method_study.h"

#include <algorithm>

#include "sim/core/statistics.h"
#include "sim/search/proposer.h"

namespace a3sim {
namespace {

constexpr std::string_view kBaseline = "random";

// Returns an eighth, a quarter, a half of the budget, and all of it.
std::vector<std::uint32_t> budgets_up_to(std::uint32_t budget) {
  std::vector<std::uint32_t> budgets;
  for (const std::uint32_t part : {8U, 4U, 2U, 1U}) {
    const std::uint32_t some = std::max(1U, budget / part);
    if (budgets.empty() || budgets.back() < some) budgets.push_back(some);
  }
  return budgets;
}

double gain_after(const std::vector<double>& curve, std::uint32_t candidates) {
  if (curve.empty()) return 0;
  return 1 - curve[std::min<std::size_t>(candidates, curve.size()) - 1];
}

MethodCurve curve_of(const SearchProblem& problem, const SearchOptions& options, std::uint32_t seeds,
                     const std::vector<std::uint32_t>& budgets, CandidateRuns& runs) {
  MethodCurve curve{options.method, std::vector<double>(budgets.size()), 0, 0, {}, 0};
  SearchOptions of_seed = options;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    of_seed.seed = options.seed + seed;
    const SearchOutcome outcome = search(problem, of_seed, runs);
    for (std::size_t b = 0; b < budgets.size(); ++b)
      curve.gains[b] += gain_after(outcome.curve, budgets[b]) / seeds;
    curve.by_seed.push_back(gain_after(outcome.curve, budgets.back()));
  }
  curve.least = std::ranges::min(curve.by_seed);
  curve.most = std::ranges::max(curve.by_seed);
  return curve;
}

}  // namespace

MethodStudy compare_methods(const SearchProblem& problem, const SearchOptions& options, std::uint32_t seeds,
                            CandidateRuns& runs) {
  MethodStudy study{budgets_up_to(options.budget), {}};
  SearchOptions of_method = options;
  for (const std::string& method : Proposers::names()) {
    of_method.method = method;
    study.curves.push_back(curve_of(problem, of_method, seeds, study.budgets, runs));
  }
  const auto baseline = std::ranges::find(study.curves, kBaseline, &MethodCurve::method);
  const std::vector<double> drawn = baseline->by_seed;
  for (MethodCurve& curve : study.curves) {
    for (std::size_t seed = 0; seed < drawn.size(); ++seed)
      curve.no_worse_than_random += curve.by_seed[seed] >= drawn[seed];
  }
  return study;
}

}  // namespace a3sim
