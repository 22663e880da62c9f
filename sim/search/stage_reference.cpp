#include "sim/search/stage_reference.h"

#include <algorithm>
#include <numeric>

#include "sim/core/statistics.h"

namespace a3sim {

StageReference::StageReference(const SearchProblem& problem, const SearchStage& stage, CandidateRuns& runs) {
  best_.resize(stage.scenarios.size());
  for (std::size_t start = 0; start < problem.starts().size(); ++start) {
    starts_.push_back(runs.run_start(start, stage));
    refused_.emplace_back();
    for (std::size_t s = 0; s < starts_.back().size(); ++s) {
      const CandidateOutcome& outcome = starts_.back()[s];
      if (!outcome.refused.empty()) {
        if (refused_.back().empty()) refused_.back() = outcome.refused;
        continue;
      }
      const Latencies totals = outcome.totals();
      if (best_[s].empty()) best_[s] = totals;
      for (std::size_t draw = 0; draw < totals.size(); ++draw)
        best_[s][draw] = std::min(best_[s][draw], totals[draw]);
    }
  }
}

std::optional<std::vector<std::vector<double>>> StageReference::ratios(
    const std::vector<CandidateOutcome>& outcomes) const {
  std::vector<std::vector<double>> ratios;
  for (std::size_t s = 0; s < outcomes.size(); ++s) {
    if (best_[s].empty()) continue;
    if (!outcomes[s].refused.empty() || outcomes[s].stopped) return std::nullopt;
    std::vector<double>& values = ratios.emplace_back();
    const Latencies totals = outcomes[s].totals();
    for (std::size_t draw = 0; draw < totals.size(); ++draw)
      values.push_back(static_cast<double>(totals[draw].count()) /
                       static_cast<double>(best_[s][draw].count()));
  }
  if (ratios.empty()) return std::nullopt;
  return ratios;
}

std::size_t StageReference::best_start(std::size_t scenario) const {
  std::size_t best = 0;
  Duration least = Duration::max();
  for (std::size_t start = 0; start < starts_.size(); ++start) {
    if (!starts_[start][scenario].refused.empty()) continue;
    const Latencies totals = starts_[start][scenario].totals();
    const Duration sum = std::accumulate(totals.begin(), totals.end(), Duration::zero());
    if (sum >= least) continue;
    least = sum;
    best = start;
  }
  return best;
}

std::vector<double> mean_ranks(const std::vector<double>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return numbers[i]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && numbers[order[last]] == numbers[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = static_cast<double>(first + last - 1) / 2;
  }
  return ranks;
}

double score_of(const std::vector<std::vector<double>>& ratios, SearchObjective objective) {
  constexpr double kP90 = 0.9;
  std::vector<double> all;
  double worst = 0;
  for (const std::vector<double>& scenario : ratios) {
    all.insert(all.end(), scenario.begin(), scenario.end());
    worst = std::max(worst, arithmetic_mean(scenario));
  }
  const double mean = arithmetic_mean(all);
  if (objective == SearchObjective::kOne) return mean;
  if (worst > kMostLost) return 1 + worst;
  if (objective == SearchObjective::kWorst) return worst;
  return objective == SearchObjective::kP90 ? quantile(all, kP90) : mean;
}

}  // namespace a3sim
