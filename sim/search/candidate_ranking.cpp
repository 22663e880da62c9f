#include "sim/search/candidate_ranking.h"

#include <algorithm>

namespace a3sim {

double CandidateRanking::as_parent(std::size_t i) const {
  constexpr double kRefusedBelow = 0.002;
  const ScoredCandidate& candidate = outcome_.candidates[i];
  return *candidate.scores.back() + (skipped_.front() || candidate.scores.front() ? 0 : kRefusedBelow);
}

std::vector<std::size_t> CandidateRanking::ranked() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < outcome_.candidates.size(); ++i) {
    if (outcome_.candidates[i].finished()) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *outcome_.candidates[i].scores.back(); });
  return order;
}

std::vector<std::size_t> CandidateRanking::ranked_as_parents() const {
  std::vector<std::size_t> order = ranked();
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return as_parent(i); });
  return order;
}

std::vector<std::size_t> CandidateRanking::parents(const std::vector<std::size_t>& order) const {
  const std::size_t most = std::max<std::size_t>(1, proposer_.parents());
  std::vector<std::size_t> parents;
  for (const std::size_t i : order) {
    if (parents.size() == most) break;
    if (parents.empty() || as_parent(i) != as_parent(parents.back())) parents.push_back(i);
  }
  return parents;
}

std::size_t CandidateRanking::followed() const {
  const std::size_t all = problem_.space().seeds.empty() ? 2 : 3;
  const std::uint32_t left = options_.budget - outcome_.proposed;
  if (proposer_.parents() <= 1 || 4 * left <= options_.budget) return 1;
  return 2 * left <= options_.budget ? 2 : all;
}

std::vector<std::size_t> CandidateRanking::leaders(const std::vector<std::size_t>& order) const {
  std::vector<std::size_t> leaders;
  for (const std::size_t i : order) {
    if (leaders.size() == followed()) break;
    const auto same = [&](std::size_t leader) {
      return outcome_.candidates[leader].lineage == outcome_.candidates[i].lineage;
    };
    if (std::ranges::none_of(leaders, same)) leaders.push_back(i);
  }
  return leaders;
}

}  // namespace a3sim
