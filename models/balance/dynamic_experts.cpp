#include "models/balance/dynamic_experts.h"

#include <algorithm>
#include <numeric>

namespace a3sim {

void LoadHistory::add(std::span<const std::uint32_t> rows) {
  for (std::size_t e = 0; e < last_.size(); ++e) {
    last_[e] = rows[e];
    mean_[e] = empty_ ? rows[e] : (1 - kWeight) * mean_[e] + kWeight * rows[e];
  }
  empty_ = false;
}

std::vector<std::uint32_t> hottest_first(std::span<const double> rows) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return rows[a] > rows[b]; });
  return order;
}

std::vector<bool> dynamic_experts(ChooseBy by, const LoadHistory& history,
                                  std::span<const std::uint32_t> rows, std::uint32_t experts_per_rank,
                                  std::uint32_t dyn) {
  const std::vector<double> now(rows.begin(), rows.end()), alike(rows.size(), 0);
  const std::vector<double>& score = by == ChooseBy::kHistory  ? history.mean()
                                     : by == ChooseBy::kLast   ? history.last()
                                     : by == ChooseBy::kOracle ? now
                                                               : alike;
  std::vector<bool> dynamic(rows.size(), false);
  std::vector<std::uint32_t> taken(rows.size() / experts_per_rank, 0);
  for (const std::uint32_t e : hottest_first(score)) {
    if (taken[e / experts_per_rank] == dyn) continue;
    ++taken[e / experts_per_rank];
    dynamic[e] = true;
  }
  return dynamic;
}

std::vector<std::uint32_t> shadows(std::span<const double> rows, std::uint32_t experts_per_rank,
                                   const ShadowCosts& costs) {
  std::vector<double> left(rows.size() / experts_per_rank, 0);
  for (std::size_t e = 0; e < rows.size(); ++e) left[e / experts_per_rank] += rows[e];
  const auto cost = [&](std::size_t shadows) {
    const double busiest = *std::ranges::max_element(left);
    return (3 * costs.product + 4 * costs.row) * busiest + static_cast<double>(shadows) * costs.weights;
  };
  std::vector<std::uint32_t> order = hottest_first(rows);
  std::size_t chosen = 0;
  double least = cost(0);
  for (std::size_t shadowed = 1; shadowed <= order.size(); ++shadowed) {
    const std::uint32_t e = order[shadowed - 1];
    left[e / experts_per_rank] -= rows[e];
    const double then = cost(shadowed);
    if (then >= least) continue;
    least = then;
    chosen = shadowed;
  }
  order.resize(chosen);
  return order;
}

}  // namespace a3sim
