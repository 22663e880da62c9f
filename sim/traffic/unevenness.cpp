#include "sim/traffic/unevenness.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "sim/core/statistics.h"

namespace a3sim {
namespace {

using Loads = std::vector<double>;

double sum_of(const Loads& rows) { return std::accumulate(rows.begin(), rows.end(), 0.0); }

// Returns each expert's part of the rows above an equal part.
Loads popularity_of(const Loads& rows) {
  const double sum = sum_of(rows), equal = 1 / static_cast<double>(rows.size());
  Loads part;
  for (const double r : rows) part.push_back(sum > 0 ? r / sum - equal : 0);
  return part;
}

double product_of(const Loads& a, const Loads& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Returns the variance of popularity that independent tokens have by chance, unbiased: of `tokens` tokens, a part p goes to an
// expert, and its number varies by p (1 - p) tokens.
double chance_variance(const Loads& rows, double tokens) {
  const double sum = sum_of(rows);
  if (tokens <= 1 || sum <= 0) return 0;
  double variance = 0;
  for (const double r : rows) {
    const double p = std::min(1.0, r / tokens);
    variance += p * (1 - p) * tokens * tokens / (tokens - 1);
  }
  return variance / (sum * sum);
}

// Splits the variance of popularity.
void split_variance(std::span<const RoutingCounts> steps, const MoeShape& shape, Unevenness& to) {
  const std::size_t half = steps.size() / 2;
  std::vector<Loads> popularity;
  double all = 0, chance = 0, next = 0;
  for (const RoutingCounts& step : steps) {
    const Loads rows = rows_by_expert(step);
    popularity.push_back(popularity_of(rows));
    all += product_of(popularity.back(), popularity.back());
    chance += chance_variance(rows, sum_of(rows) / shape.top_k);
    if (popularity.size() > 1) next += product_of(popularity.back(), popularity[popularity.size() - 2]);
  }
  const auto count = static_cast<double>(steps.size());
  all /= count;
  chance = std::min(all, chance / count);
  next /= count - 1;
  const auto mean_of = [&](std::size_t begin, std::size_t end) {
    Loads mean(popularity.front().size(), 0);
    for (std::size_t s = begin; s < end; ++s)
      for (std::size_t e = 0; e < mean.size(); ++e)
        mean[e] += popularity[s][e] / static_cast<double>(end - begin);
    return mean;
  };
  const double lasting = product_of(mean_of(0, half), mean_of(half, steps.size()));
  if (all <= 0) return;
  to.chance = chance / all;
  to.lasting = std::clamp(lasting / all, 0.0, 1 - to.chance);
  to.drifting = std::max(0.0, 1 - to.chance - to.lasting);
  const double popular = all - chance;
  if (popular <= 1e-3 * all) return;
  to.next_step = std::clamp(next / popular, -1.0, 1.0);
  to.other_half = std::clamp(lasting / popular, -1.0, 1.0);
}

// Returns how much of the differences between ranks the first half foretells of the second.
double foretold_part(std::span<const RoutingCounts> steps) {
  const std::size_t half = steps.size() / 2;
  std::vector<double> mean;
  for (std::size_t s = 0; s < half; ++s) {
    const Loads rows = rows_by_rank(steps[s]);
    mean.resize(rows.size(), 0);
    for (std::size_t r = 0; r < rows.size(); ++r) mean[r] += rows[r] / static_cast<double>(half);
  }
  const Loads foretold = popularity_of(mean);
  double missed = 0, all = 0;
  for (std::size_t s = half; s < steps.size(); ++s) {
    const Loads now = popularity_of(rows_by_rank(steps[s]));
    for (std::size_t r = 0; r < now.size(); ++r) {
      missed += (now[r] - foretold[r]) * (now[r] - foretold[r]);
      all += now[r] * now[r];
    }
  }
  return all > 0 ? 1 - missed / all : 0;
}

void find_ratios(std::span<const RoutingCounts> steps, const ChanceRatios& chance, Unevenness& to) {
  std::vector<double> experts, ranks;
  Loads all_experts, all_ranks;
  for (const RoutingCounts& step : steps) {
    const Loads by_expert = rows_by_expert(step), by_rank = rows_by_rank(step);
    experts.push_back(busiest_over_mean(by_expert));
    ranks.push_back(busiest_over_mean(by_rank));
    all_experts.resize(by_expert.size(), 0);
    all_ranks.resize(by_rank.size(), 0);
    std::ranges::transform(by_expert, all_experts, all_experts.begin(), std::plus());
    std::ranges::transform(by_rank, all_ranks, all_ranks.begin(), std::plus());
  }
  to.expert = {median(experts), std::ranges::max(experts), busiest_over_mean(all_experts), chance.expert};
  to.rank = {median(ranks), std::ranges::max(ranks), busiest_over_mean(all_ranks), chance.rank};
}

}  // namespace

double busiest_over_mean(std::span<const double> rows) {
  const double sum = std::accumulate(rows.begin(), rows.end(), 0.0);
  return sum > 0 ? std::ranges::max(rows) * static_cast<double>(rows.size()) / sum : 1;
}

std::vector<double> rows_by_expert(const RoutingCounts& counts) {
  Loads rows(counts.experts(), 0);
  for (std::uint32_t src = 0; src < counts.ranks(); ++src)
    for (std::uint32_t e = 0; e < counts.experts(); ++e) rows[e] += counts.at(src, e);
  return rows;
}

std::vector<double> rows_by_rank(const RoutingCounts& counts) {
  const Loads by_expert = rows_by_expert(counts);
  const std::size_t local = by_expert.size() / counts.ranks();
  Loads rows(counts.ranks(), 0);
  for (std::size_t e = 0; e < by_expert.size(); ++e) rows[e / local] += by_expert[e];
  return rows;
}

std::vector<double> rows_of_steps(std::span<const RoutingCounts> steps) {
  Loads rows(steps.empty() ? 0 : steps.front().experts(), 0);
  for (const RoutingCounts& step : steps) {
    const Loads of_step = rows_by_expert(step);
    std::ranges::transform(of_step, rows, rows.begin(), std::plus());
  }
  return rows;
}

ChanceRatios chance_ratios(const MoeShape& shape) {
  std::vector<double> chance_experts, chance_ranks;
  constexpr std::uint64_t kDraws = 11;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const RoutingCounts drawn = route({.kind = "sampled", .seed = seed}, shape);
    chance_experts.push_back(busiest_over_mean(rows_by_expert(drawn)));
    chance_ranks.push_back(busiest_over_mean(rows_by_rank(drawn)));
  }
  return {median(chance_experts), median(chance_ranks)};
}

Unevenness unevenness_of(std::span<const RoutingCounts> steps, const MoeShape& shape,
                         const ChanceRatios& chance) {
  if (steps.size() < 2) throw std::logic_error("one step has no course");
  Unevenness result;
  result.steps = steps.size();
  find_ratios(steps, chance, result);
  split_variance(steps, shape, result);
  result.foretold = foretold_part(steps);
  return result;
}

}  // namespace a3sim
