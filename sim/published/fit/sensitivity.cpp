#include "sim/published/fit/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/rng.h"
#include "sim/core/statistics.h"

namespace a3sim {
namespace {

using Positions = std::vector<double>;

// Returns the quantile of a share in the triangular distribution from 0 to 1 with this peak.
double triangular(double share, double peak) {
  return share < peak ? std::sqrt(share * peak) : 1 - std::sqrt((1 - share) * (1 - peak));
}

Positions draw(std::span<const double> around, std::uint64_t seed, std::uint64_t stream,
               const Admissible& admissible) {
  constexpr int kMostTries = 10'000;
  Rng rng(seed, stream);
  Positions positions(around.size());
  for (int i = 0; i < kMostTries; ++i) {
    std::ranges::transform(around, positions.begin(),
                           [&](double peak) { return triangular(rng.uniform(), peak); });
    if (admissible(positions)) return positions;
  }
  throw RunError("the ranges hold next to no hardware that its reader accepts");
}

}  // namespace

std::vector<std::size_t> Sensitivity::PointRange::movers() const {
  const auto moved = [&](std::size_t p) {
    return std::max(std::abs(ends[p][0] - nominal), std::abs(ends[p][1] - nominal));
  };
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t p) { return moved(p) == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return moved(a) > moved(b); });
  return order;
}

Sensitivity sensitivity(const Model& model, const Admissible& admissible, std::span<const double> nominal,
                        const SensitivityOptions& options) {
  const std::size_t parameters = nominal.size(), ends = options.ends ? 2 * parameters : 0;
  // All runs in one list: the nominal one, two for each parameter, then the draws.
  std::vector<Positions> positions{Positions(nominal.begin(), nominal.end())};
  for (std::size_t p = 0; p < ends / 2; ++p) {
    for (const double end : {0.0, 1.0}) {
      Positions to(nominal.begin(), nominal.end());
      to[p] = end;
      positions.push_back(last_admissible(nominal, std::move(to), admissible));
    }
  }
  for (std::uint32_t d = 0; d < options.draws; ++d) {
    positions.push_back(draw(nominal, options.seed, d, admissible));
  }
  std::vector<std::vector<double>> results(positions.size());
  in_parallel(positions.size(), options.threads, [&](std::size_t i) { results[i] = model(positions[i]); });

  Sensitivity sensitivity;
  for (std::size_t v = 0; v < results[0].size(); ++v) {
    Sensitivity::PointRange& range = sensitivity.values.emplace_back();
    range.nominal = results[0][v];
    for (std::size_t p = 0; p < ends / 2; ++p) {
      range.ends.push_back({results[1 + 2 * p][v], results[2 + 2 * p][v]});
    }
    std::vector<double> drawn;
    for (std::size_t i = 1 + ends; i < results.size(); ++i) drawn.push_back(results[i][v]);
    range.low = std::min(range.nominal, quantile(drawn, 0.05));
    range.high = std::max(range.nominal, quantile(std::move(drawn), 0.95));
  }
  return sensitivity;
}

}  // namespace a3sim
