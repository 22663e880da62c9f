#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "models/routing/routing.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"

// Benchmarks of imbalance, as proposed for Megatron-LM: W1 hot expert, W2 hot rank, W3 ragged sources, W4 rotating, W5 bursts,
// W6 long tail, W7 mixed (W0 is `balanced`). Each is exact: no token is drawn, so how uneven it is does not depend on how many
// tokens there are.
namespace a3sim {
namespace {

constexpr std::uint32_t kBurstEvery = 4;  // micro-batches, in the mean

// How tokens go to experts in one micro-batch.
struct Popularities {
  std::vector<double> weights;        // by expert, in proportion
  std::vector<std::uint32_t> tokens;  // by source
};

// Returns shares of `total` in proportion to the weights, none above `most`, whose sum is `total`: what exceeds `most` goes to
// the others, and the largest remainders are rounded up, ties to the lowest number.
std::vector<std::uint32_t> apportioned(const std::vector<double>& weights, std::uint64_t total,
                                       std::uint32_t most) {
  std::vector<double> exact(weights.size(), 0);
  std::vector<bool> full(weights.size(), false);
  for (bool again = true; again;) {
    again = false;
    double sum = 0, left = static_cast<double>(total);
    for (std::size_t e = 0; e < weights.size(); ++e) full[e] ? left -= most : sum += weights[e];
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (full[e]) continue;
      exact[e] = sum > 0 ? left * weights[e] / sum : 0;
      if (exact[e] <= most) continue;
      exact[e] = most;
      full[e] = again = true;
    }
  }
  std::vector<std::uint32_t> rows(weights.size()), order(weights.size());
  std::uint64_t given = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) given += rows[e] = static_cast<std::uint32_t>(exact[e]);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return exact[a] - rows[a] > exact[b] - rows[b]; });
  for (std::size_t i = 0; given < total; i = (i + 1) % order.size()) {
    if (rows[order[i]] == most) continue;
    ++rows[order[i]];
    ++given;
  }
  return rows;
}

// Returns the value between `low` and `high` at which a rising function reaches `target`.
double where_reached(double target, double low, double high, const std::function<double(double)>& rising) {
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Gives `hot` so many times the mean, and the others an equal part of the rest.
void heat(std::vector<double>& weights, std::uint32_t first, std::uint32_t count, double busiest) {
  const auto all = static_cast<double>(weights.size());
  const double most = all / count, rest = std::max(0.0, all - std::min(busiest, most) * count);
  for (std::uint32_t e = 0; e < weights.size(); ++e) {
    const bool hot = e >= first && e < first + count;
    weights[e] *= hot ? std::min(busiest, most) : rest / std::max(1.0, all - count);
  }
}

// Gives expert i of a drawn order (i + 1)^-a of the rows, so that the first has so many times the mean.
void add_tail(std::vector<double>& weights, double busiest, std::uint64_t seed) {
  constexpr double kSteepest = 20;
  const auto experts = static_cast<std::uint32_t>(weights.size());
  const auto most_over_mean = [&](double a) {
    double sum = 0;
    for (std::uint32_t i = 0; i < experts; ++i) sum += std::pow(i + 1.0, -a);
    return experts / sum;
  };
  const double a = where_reached(std::min(busiest, experts * 0.999), 0, kSteepest, most_over_mean);
  std::vector<std::uint32_t> place(experts);
  std::iota(place.begin(), place.end(), 0U);
  Rng rng(seed);
  for (std::uint32_t i = experts; i > 1; --i) std::swap(place[i - 1], place[rng.below(i)]);
  for (std::uint32_t i = 0; i < experts; ++i) weights[place[i]] *= std::pow(i + 1.0, -a);
}

// Lets source s of R send ((R - s) / R)^p of a rank's tokens, so that the first has so many times the mean.
void make_ragged(std::vector<std::uint32_t>& tokens, double busiest) {
  constexpr double kSteepest = 60;
  const auto ranks = static_cast<double>(tokens.size());
  const auto part = [&](double p, std::size_t s) {
    return std::pow((ranks - static_cast<double>(s)) / ranks, p);
  };
  const auto most_over_mean = [&](double p) {
    double sum = 0;
    for (std::size_t s = 0; s < tokens.size(); ++s) sum += part(p, s);
    return ranks / sum;
  };
  const double p = where_reached(std::min(busiest, ranks * 0.999), 0, kSteepest, most_over_mean);
  for (std::size_t s = 0; s < tokens.size(); ++s)
    tokens[s] = static_cast<std::uint32_t>(std::lround(tokens[s] * part(p, s)));
}

// Returns the expert that is hot in a micro-batch of a rotating load: each rank in turn has one, and then its next one.
std::uint32_t turning(const RoutingSpec& spec, const MoeShape& shape) {
  const std::uint64_t at = spec.seed + spec.micro_batch;
  return static_cast<std::uint32_t>(
      (at % shape.ep * shape.experts_per_rank + at / shape.ep % shape.experts_per_rank));
}

// Returns whether a micro-batch is a burst; `expert` is then the hot one.
bool bursts(const RoutingSpec& spec, const MoeShape& shape, std::uint32_t& expert) {
  Rng rng(spec.seed, spec.micro_batch);
  expert = rng.below(shape.experts());
  return rng.below(kBurstEvery) == 0;
}

void hot_expert(const RoutingSpec& spec, const MoeShape& shape, Popularities& p) {
  heat(p.weights, static_cast<std::uint32_t>(spec.seed % shape.experts()), 1, spec.busiest);
}
void hot_rank(const RoutingSpec& spec, const MoeShape& shape, Popularities& p) {
  heat(p.weights, static_cast<std::uint32_t>(spec.seed % shape.ep) * shape.experts_per_rank,
       shape.experts_per_rank, spec.busiest);
}
void ragged(const RoutingSpec& spec, const MoeShape&, Popularities& p) {
  make_ragged(p.tokens, spec.busiest);
}
void rotating(const RoutingSpec& spec, const MoeShape& shape, Popularities& p) {
  heat(p.weights, turning(spec, shape), 1, spec.busiest);
}
void bursting(const RoutingSpec& spec, const MoeShape& shape, Popularities& p) {
  std::uint32_t expert = 0;
  if (bursts(spec, shape, expert)) heat(p.weights, expert, 1, spec.busiest);
}
void long_tail(const RoutingSpec& spec, const MoeShape&, Popularities& p) {
  add_tail(p.weights, spec.busiest, spec.seed);
}
// Half of it (the root) is a long tail, half comes and goes with bursts, and sources differ by the root of that.
void mixed(const RoutingSpec& spec, const MoeShape& shape, Popularities& p) {
  const double half = std::sqrt(spec.busiest);
  add_tail(p.weights, half, spec.seed);
  std::uint32_t expert = 0;
  if (bursts(spec, shape, expert)) heat(p.weights, expert, 1, half);
  make_ragged(p.tokens, std::sqrt(half));
}

class Imbalance final : public RoutingGenerator {
 public:
  using Shape = void (*)(const RoutingSpec&, const MoeShape&, Popularities&);
  Imbalance(Shape shape, bool draws, bool drifts) : shape_(shape), draws_(draws), drifts_(drifts) {}

  bool draws() const override { return draws_; }
  bool drifts() const override { return drifts_; }
  std::pair<std::string_view, double> spread(const RoutingSpec& spec) const override {
    return {"busiest", spec.busiest};
  }

  RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const override {
    check_top_k(shape);
    if (!(spec.busiest >= 1) || !std::isfinite(spec.busiest))
      throw InputError(
          fmt::format("routing.busiest: {} times the mean, expected a number from 1", spec.busiest));
    Popularities p{std::vector<double>(shape.experts(), 1),
                   std::vector<std::uint32_t>(shape.ep, shape.tokens)};
    shape_(spec, shape, p);
    RoutingCounts counts(shape.ep, shape.experts());
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      // The rest of rounding goes to other experts at each source.
      std::vector<double> turned(p.weights.size());
      const std::size_t turn = src * p.weights.size() / shape.ep;
      for (std::size_t e = 0; e < turned.size(); ++e) turned[e] = p.weights[(e + turn) % turned.size()];
      const auto rows = apportioned(turned, std::uint64_t{p.tokens[src]} * shape.top_k, p.tokens[src]);
      for (std::size_t e = 0; e < turned.size(); ++e)
        counts.at(src, static_cast<std::uint32_t>((e + turn) % turned.size())) = rows[e];
    }
    return counts;
  }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    return dealt_to_tokens(counts(spec, shape).source(src), shape);
  }

 private:
  Shape shape_;
  bool draws_, drifts_;
};

A3SIM_REGISTER(RoutingGenerator, "hot_expert", "W1: one expert has routing.busiest times the mean",
               Imbalance(hot_expert, true, false));
A3SIM_REGISTER(RoutingGenerator, "hot_rank", "W2: all experts of one rank have it",
               Imbalance(hot_rank, true, false));
A3SIM_REGISTER(RoutingGenerator, "ragged", "W3: sources send unlike numbers of tokens",
               Imbalance(ragged, false, false));
A3SIM_REGISTER(RoutingGenerator, "rotating", "W4: the hot expert is another one in each micro-batch",
               Imbalance(rotating, true, true));
A3SIM_REGISTER(RoutingGenerator, "bursts", "W5: balanced, but for one micro-batch in four",
               Imbalance(bursting, true, true));
A3SIM_REGISTER(RoutingGenerator, "long_tail", "W6: few experts have most of the rows",
               Imbalance(long_tail, true, false));
A3SIM_REGISTER(RoutingGenerator, "mixed", "W7: a long tail, bursts and ragged sources",
               Imbalance(mixed, true, true));

}  // namespace
}  // namespace a3sim
