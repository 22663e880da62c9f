#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "models/routing/routing.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"

namespace a3sim {
namespace {

// Streams of the seed: ranks' draws are below this number, popularity above it.
constexpr std::uint64_t kPopularity = std::uint64_t{1} << 40, kRanks = std::uint64_t{1} << 41;

double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

void check(const RoutingSpec::Drift& drift) {
  const auto part = [](double x) { return x >= 0 && x <= 1; };
  const auto sigma = [](double x) { return x >= 0 && std::isfinite(x); };
  if (sigma(drift.sigma) && sigma(drift.common) && part(drift.lasting) && part(drift.correlation)) return;
  throw InputError(
      fmt::format("a drifting routing has sigma and common from 0 and lasting and correlation from 0 to 1, "
                  "not {}, {}, {} and {}",
                  drift.sigma, drift.common, drift.lasting, drift.correlation));
}

// Finds experts by prefix sums of their weights.
class Popularity {
 public:
  explicit Popularity(std::vector<std::uint64_t> bounds)
      : bounds_(std::move(bounds)),
        shift_(std::max(static_cast<int>(std::bit_width(bounds_.back())), kIndexBits) - kIndexBits),
        first_((bounds_.back() >> shift_) + 1) {
    std::uint32_t expert = 0;
    for (std::uint64_t i = 0; i < first_.size(); ++i) {
      while (expert + 1 < bounds_.size() && bounds_[expert] <= i << shift_) ++expert;
      first_[i] = expert;
    }
  }

  // Returns the expert for a number drawn uniformly from 64 bits.
  std::uint32_t expert(std::uint64_t drawn) const {
    using Product = unsigned __int128;
    const auto at = static_cast<std::uint64_t>((static_cast<Product>(drawn) * bounds_.back()) >> 64);
    std::uint32_t expert = first_[at >> shift_];
    while (bounds_[expert] <= at) ++expert;
    return expert;
  }

 private:
  static constexpr int kIndexBits = 10;

  std::vector<std::uint64_t> bounds_;
  int shift_;
  std::vector<std::uint32_t> first_;  // by the upper bits of a sum: the first expert that may have it
};

// Routes by a log-normal popularity. A part of its variance is constant; the rest is a first-order
// autoregression over micro-batches. The experts of a rank may share a factor that lasts and drifts in the
// same way. Each token goes to different experts, drawn one after another by popularity.
class Drifting final : public RoutingGenerator {
 public:
  bool draws() const override { return true; }
  bool drifts() const override { return true; }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    return draw(Popularity(bounds(spec, shape)), spec, shape, src);
  }

  RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const override {
    check_top_k(shape);
    const Popularity popularity(bounds(spec, shape));
    RoutingCounts counts(shape.ep, shape.experts());
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      for (const std::uint32_t expert : draw(popularity, spec, shape, src)) ++counts.at(src, expert);
    }
    return counts;
  }

 private:
  // Draws `count` standard normal values. A part of their variance is constant; the rest has drifted up to
  // the spec's micro-batch.
  static std::vector<double> drifted(const RoutingSpec& spec, std::uint32_t count, std::uint64_t stream) {
    const double lasting = spec.drift.lasting, correlation = spec.drift.correlation;
    const double fresh = std::sqrt(1 - correlation * correlation);
    std::vector<double> stays(count), moves(count);
    Rng first(spec.seed, stream);
    for (double& z : stays) z = normal(first);
    for (double& z : moves) z = normal(first);
    for (std::uint64_t batch = 1; batch <= spec.micro_batch; ++batch) {
      Rng rng(spec.seed, stream + batch);
      for (double& z : moves) z = correlation * z + fresh * normal(rng);
    }
    for (std::uint32_t i = 0; i < count; ++i)
      stays[i] = std::sqrt(lasting) * stays[i] + std::sqrt(1 - lasting) * moves[i];
    return stays;
  }

  // Sums of weights are integers, so that draws do not depend on how a machine rounds sums.
  static std::vector<std::uint64_t> bounds(const RoutingSpec& spec, const MoeShape& shape) {
    check(spec.drift);
    const std::uint32_t experts = shape.experts();
    const std::vector<double> own = drifted(spec, experts, kPopularity);
    const std::vector<double> of_rank =
        spec.drift.common > 0 ? drifted(spec, shape.ep, kRanks) : std::vector<double>(shape.ep, 0);
    // Limits popularity, so that every expert can be drawn and the sum does not overflow.
    constexpr double kUnit = 0x1p32, kMost = 0x1p20;
    std::vector<std::uint64_t> bounds(experts);
    std::uint64_t sum = 0;
    for (std::uint32_t e = 0; e < experts; ++e) {
      const double z = spec.drift.sigma * own[e] + spec.drift.common * of_rank[e / shape.experts_per_rank];
      bounds[e] = sum += 1 + static_cast<std::uint64_t>(kUnit * std::min(kMost, std::exp(z)));
    }
    return bounds;
  }

  // Draws again if the token already has the expert, which is the same as drawing among the others.
  static std::vector<std::uint32_t> draw(const Popularity& popularity, const RoutingSpec& spec,
                                         const MoeShape& shape, std::uint32_t src) {
    check_top_k(shape);
    Rng rng(spec.seed, std::uint64_t{spec.micro_batch} * shape.ep + src);
    std::vector<std::uint32_t> experts(std::size_t{shape.tokens} * shape.top_k);
    for (auto token = experts.begin(); token != experts.end(); token += shape.top_k) {
      for (auto slot = token; slot != token + shape.top_k;) {
        *slot = popularity.expert(rng.next());
        if (std::find(token, slot, *slot) == slot) ++slot;
      }
    }
    return experts;
  }
};

A3SIM_REGISTER(RoutingGenerator, "drifting",
               "log-normal popularity, of which a part lasts and the rest drifts over micro-batches",
               Drifting);

}  // namespace
}  // namespace a3sim
