#include <fmt/format.h>

#include <cmath>

#include "models/routing/popularity.h"
#include "models/routing/routing.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"

namespace a3sim {
namespace {

// Streams of the seed: ranks' draws are below this number, popularity above it.
constexpr std::uint64_t kPopularity = std::uint64_t{1} << 40, kRanks = std::uint64_t{1} << 41;

void check(const RoutingSpec::Drift& drift) {
  const auto part = [](double x) { return x >= 0 && x <= 1; };
  const auto sigma = [](double x) { return x >= 0 && std::isfinite(x); };
  if (sigma(drift.sigma) && sigma(drift.common) && part(drift.lasting) && part(drift.correlation)) return;
  throw InputError(
      fmt::format("a drifting routing has sigma and common from 0 and lasting and correlation from 0 to 1, "
                  "not {}, {}, {} and {}",
                  drift.sigma, drift.common, drift.lasting, drift.correlation));
}

// Routes by a log-normal popularity. A part of its variance is constant; the rest is a first-order
// autoregression over micro-batches. The experts of a rank may share a factor that lasts and drifts in the
// same way. Each token goes to different experts, drawn one after another by popularity.
class Drifting final : public RoutingGenerator {
 public:
  bool draws() const override { return true; }
  bool drifts() const override { return true; }
  std::pair<std::string_view, double> spread(const RoutingSpec& spec) const override {
    return {"sigma", spec.drift.sigma};
  }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    return draw(popularity(spec, shape), spec, shape, src);
  }

  RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const override {
    check_top_k(shape);
    const Popularity popular = popularity(spec, shape);
    RoutingCounts counts(shape.ep, shape.experts());
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      for (const std::uint32_t expert : draw(popular, spec, shape, src)) ++counts.at(src, expert);
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
    for (double& z : stays) z = normal_draw(first);
    for (double& z : moves) z = normal_draw(first);
    for (std::uint64_t batch = 1; batch <= spec.micro_batch; ++batch) {
      Rng rng(spec.seed, stream + batch);
      for (double& z : moves) z = correlation * z + fresh * normal_draw(rng);
    }
    for (std::uint32_t i = 0; i < count; ++i)
      stays[i] = std::sqrt(lasting) * stays[i] + std::sqrt(1 - lasting) * moves[i];
    return stays;
  }

  static Popularity popularity(const RoutingSpec& spec, const MoeShape& shape) {
    check(spec.drift);
    const std::uint32_t experts = shape.experts();
    const std::vector<double> own = drifted(spec, experts, kPopularity);
    const std::vector<double> of_rank =
        spec.drift.common > 0 ? drifted(spec, shape.ep, kRanks) : std::vector<double>(shape.ep, 0);
    std::vector<double> weights(experts);
    for (std::uint32_t e = 0; e < experts; ++e)
      weights[e] =
          std::exp(spec.drift.sigma * own[e] + spec.drift.common * of_rank[e / shape.experts_per_rank]);
    return Popularity(weights);
  }

  static std::vector<std::uint32_t> draw(const Popularity& popularity, const RoutingSpec& spec,
                                         const MoeShape& shape, std::uint32_t src) {
    check_top_k(shape);
    return popularity.assign(shape, Rng(spec.seed, std::uint64_t{spec.micro_batch} * shape.ep + src));
  }
};

A3SIM_REGISTER(RoutingGenerator, "drifting",
               "log-normal popularity, of which a part lasts and the rest drifts over micro-batches",
               Drifting);

}  // namespace
}  // namespace a3sim
