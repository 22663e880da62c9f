#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "models/routing/routing.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"

namespace a3sim {
namespace {

// A Fenwick tree: prefix sums of weights that can be changed and searched in logarithmic time.
class Urn {
 public:
  explicit Urn(const std::vector<std::uint64_t>& weights) : tree_(weights.size() + 1) {
    for (std::size_t i = 0; i < weights.size(); ++i) add(i, weights[i]);
  }

  std::uint64_t total() const { return total_; }

  // Adds to a weight modulo 2^64; adding the negative subtracts.
  void add(std::size_t item, std::uint64_t weight) {
    total_ += weight;
    for (std::size_t i = item + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += weight;
  }

  // Returns the item whose share of [0, total) contains `at`.
  std::size_t find(std::uint64_t at) const {
    std::size_t before = 0;
    for (std::size_t step = std::bit_floor(tree_.size() - 1); step > 0; step /= 2) {
      if (before + step >= tree_.size() || tree_[before + step] > at) continue;
      before += step;
      at -= tree_[before];
    }
    return before;
  }

 private:
  std::vector<std::uint64_t> tree_;
  std::uint64_t total_ = 0;
};

// Draws each token's experts one after another, without replacement, by popularity: the expert at place i of
// a seeded permutation, the same for all ranks, has the weight (i + 1) ^ -skew. Weights are integers, so that
// draws do not depend on how a machine rounds sums.
class Sampled final : public RoutingGenerator {
 public:
  bool draws() const override { return true; }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    check_top_k(shape);
    if (!(spec.skew >= 0) || !std::isfinite(spec.skew)) {
      throw InputError(fmt::format("the skew of a sampled routing is a number from 0, not {}", spec.skew));
    }
    const std::vector<std::uint64_t> weights = popularity(spec, shape.experts());
    Urn urn(weights);
    Rng rng(spec.seed, std::uint64_t{src} + 1);
    std::vector<std::uint32_t> experts(std::size_t{shape.tokens} * shape.top_k);
    for (std::size_t token = 0; token < experts.size(); token += shape.top_k) {
      for (std::size_t slot = token; slot < token + shape.top_k; ++slot) {
        // The high part of a 64 x 64-bit product: uniform in [0, total) to within 2^-20 at worst.
        const auto at = static_cast<std::uint64_t>((static_cast<Product>(rng.next()) * urn.total()) >> 64);
        const std::size_t drawn = urn.find(at);
        experts[slot] = static_cast<std::uint32_t>(drawn);
        urn.add(drawn, 0 - weights[drawn]);
      }
      for (std::size_t slot = token; slot < token + shape.top_k; ++slot) {
        urn.add(experts[slot], weights[experts[slot]]);
      }
    }
    return experts;
  }

 private:
  using Product = unsigned __int128;

  static std::vector<std::uint64_t> popularity(const RoutingSpec& spec, std::uint32_t experts) {
    std::vector<std::uint32_t> place(experts);
    std::iota(place.begin(), place.end(), 0U);
    Rng rng(spec.seed, 0);
    for (std::uint32_t i = experts; i > 1; --i) std::swap(place[i - 1], place[rng.below(i)]);
    // Weights are never 0, so every expert can be drawn when the others are.
    constexpr double kUnit = 0x1p32;
    std::vector<std::uint64_t> weights(experts);
    for (std::uint32_t i = 0; i < experts; ++i) {
      weights[place[i]] = 1 + static_cast<std::uint64_t>(kUnit * std::pow(i + 1.0, -spec.skew));
    }
    return weights;
  }
};

A3SIM_REGISTER(RoutingGenerator, "sampled", "seeded draw of different experts for each token, with a skew",
               Sampled);

}  // namespace
}  // namespace a3sim
