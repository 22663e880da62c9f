#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/routing/popularity.h"
#include "models/routing/routing.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Streams of the seed: ranks' draws are below this number, the popularity of each micro-batch above it.
constexpr std::uint64_t kPopularityStreams = std::uint64_t{1} << 43;

std::vector<double> normal_draws(std::uint64_t seed, std::uint64_t stream, std::uint32_t count) {
  Rng rng(seed, stream);
  std::vector<double> draws(count);
  for (double& z : draws) z = normal_draw(rng);
  return draws;
}

std::vector<double> lognormal_weights(const std::vector<double>& draws, double sigma) {
  std::vector<double> weights;
  for (const double z : draws) weights.push_back(std::exp(sigma * z));
  return weights;
}

// The rows that ranks expect if each token draws top_k different experts by their weights. An expert among such draws is
// chosen as one that waits an exponential time of its weight's rate until a time that top_k experts reach in the mean.
double busiest_over_mean(const std::vector<double>& weights, const MoeShape& shape) {
  double sum = 0;
  for (const double w : weights) sum += w;
  // Newton's method on a rising concave function comes from the left, and never passes the root.
  double time = shape.top_k / sum;
  constexpr int kSteps = 6;
  for (int step = 0; step < kSteps && shape.top_k < weights.size(); ++step) {
    double left = -static_cast<double>(shape.top_k), slope = 0;
    for (const double w : weights) {
      const double waits = std::exp(-time * w);
      left += 1 - waits;
      slope += w * waits;
    }
    if (slope <= 0) break;
    time -= left / slope;
  }
  double most = 0, all = 0;
  for (std::uint32_t first = 0; first < weights.size(); first += shape.experts_per_rank) {
    double rank = 0;
    for (std::uint32_t e = first; e < first + shape.experts_per_rank; ++e)
      rank += 1 - std::exp(-time * weights[e]);
    most = std::max(most, rank);
    all += rank;
  }
  return most * shape.ep / all;
}

// Finds the sigma whose busiest rank has a wanted median. Sigma follows from the shape alone, not from a spec's seed.
class SpreadSearch {
 public:
  explicit SpreadSearch(const MoeShape& shape) : shape_(shape) {
    constexpr std::uint32_t kDraws = 1U << 15, kFewest = 101;
    const std::uint32_t tries = std::max(kFewest, kDraws / shape.experts()) | 1U;
    for (std::uint32_t t = 0; t < tries; ++t)
      tries_.push_back(normal_draws(0, kPopularityStreams + t, shape.experts()));
  }

  double sigma(double busiest) const {
    constexpr double kMost = 4;
    double low = 0, high = kMost;
    if (const double most = median(high); most < busiest)
      throw InputError(
          fmt::format("routing.busiest: a rank with {:.4g} times the mean of rows, of {} ranks with {} "
                      "experts of which a token "
                      "takes {}: expected at most {:.4g}",
                      busiest, shape_.ep, shape_.experts_per_rank, shape_.top_k, most));
    constexpr int kHalvings = 14;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (median(middle) < busiest ? low : high) = middle;
    }
    return (low + high) / 2;
  }

 private:
  double median(double sigma) const {
    std::vector<double> most;
    for (const std::vector<double>& draws : tries_)
      most.push_back(busiest_over_mean(lognormal_weights(draws, sigma), shape_));
    const auto middle = most.begin() + static_cast<std::ptrdiff_t>(most.size() / 2);
    std::ranges::nth_element(most, middle);
    return *middle;
  }

  const MoeShape& shape_;
  std::vector<std::vector<double>> tries_;
};

// Natural routing: experts' popularity is log-normal, drawn anew for each micro-batch, as wide as makes the busiest rank's
// rows `busiest` times the mean in the median. Tokens' own chance comes on top.
class Lognormal final : public RoutingGenerator {
 public:
  bool draws() const override { return true; }
  bool drifts() const override { return true; }
  std::pair<std::string_view, double> spread(const RoutingSpec& spec) const override {
    return {"busiest", spec.busiest};
  }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    return popularity(spec, shape).assign(shape, rng(spec, shape, src));
  }

  RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const override {
    const Popularity popular = popularity(spec, shape);
    RoutingCounts counts(shape.ep, shape.experts());
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      for (const std::uint32_t expert : popular.assign(shape, rng(spec, shape, src)))
        ++counts.at(src, expert);
    }
    return counts;
  }

 private:
  static Rng rng(const RoutingSpec& spec, const MoeShape& shape, std::uint32_t src) {
    return Rng(spec.seed, std::uint64_t{spec.micro_batch} * shape.ep + src);
  }

  static Popularity popularity(const RoutingSpec& spec, const MoeShape& shape) {
    check_top_k(shape);
    if (!(spec.busiest >= 1) || !std::isfinite(spec.busiest))
      throw InputError(
          fmt::format("the busiest rank has 1 or more times the mean of rows, not {}", spec.busiest));
    const double sigma = shape.ep > 1 && spec.busiest > 1 ? SpreadSearch(shape).sigma(spec.busiest) : 0;
    return Popularity(lognormal_weights(
        normal_draws(spec.seed, kPopularityStreams + spec.micro_batch, shape.experts()), sigma));
  }
};

A3SIM_REGISTER(
    RoutingGenerator, "lognormal",
    "log-normal popularity, drawn anew each micro-batch, by how much the busiest rank has above the mean",
    Lognormal);

}  // namespace
}  // namespace a3sim
