#include "models/routing/popularity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace a3sim {
namespace {

constexpr int kIndexBits = 10;

std::vector<std::uint64_t> popularity_sums(const std::vector<double>& weights) {
  constexpr double kUnit = 0x1p32, kMost = 0x1p20;
  std::vector<std::uint64_t> bounds;
  std::uint64_t sum = 0;
  for (const double weight : weights)
    bounds.push_back(sum += 1 + static_cast<std::uint64_t>(kUnit * std::min(kMost, weight)));
  return bounds;
}

}  // namespace

double normal_draw(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

Popularity::Popularity(const std::vector<double>& weights)
    : bounds_(popularity_sums(weights)),
      shift_(std::max(static_cast<int>(std::bit_width(bounds_.back())), kIndexBits) - kIndexBits),
      first_((bounds_.back() >> shift_) + 1) {
  std::uint32_t expert = 0;
  for (std::uint64_t i = 0; i < first_.size(); ++i) {
    while (expert + 1 < bounds_.size() && bounds_[expert] <= i << shift_) ++expert;
    first_[i] = expert;
  }
}

std::uint32_t Popularity::expert(std::uint64_t drawn) const {
  using Product = unsigned __int128;
  const auto at = static_cast<std::uint64_t>((static_cast<Product>(drawn) * bounds_.back()) >> 64);
  std::uint32_t expert = first_[at >> shift_];
  while (bounds_[expert] <= at) ++expert;
  return expert;
}

// Draws again if the token already has the expert, which is the same as drawing among the others.
std::vector<std::uint32_t> Popularity::assign(const MoeShape& shape, Rng rng) const {
  std::vector<std::uint32_t> experts(std::size_t{shape.tokens} * shape.top_k);
  for (auto token = experts.begin(); token != experts.end(); token += shape.top_k) {
    for (auto slot = token; slot != token + shape.top_k;) {
      *slot = expert(rng.next());
      if (std::find(token, slot, *slot) == slot) ++slot;
    }
  }
  return experts;
}

}  // namespace a3sim
