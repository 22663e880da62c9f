#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "models/routing/routing.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr MoeShape kNatural{
    .tokens = 2048, .hidden = 8, .intermediate = 8, .top_k = 8, .experts_per_rank = 8, .ep = 8};

// Returns the rows of the rank that has most, over the mean.
double busiest_share(const RoutingSpec& spec, const MoeShape& shape) {
  const RoutingCounts counts = route(spec, shape);
  std::vector<double> rows(shape.ep, 0);
  for (std::uint32_t src = 0; src < shape.ep; ++src)
    for (std::uint32_t e = 0; e < shape.experts(); ++e) rows[e / shape.experts_per_rank] += counts.at(src, e);
  return *std::ranges::max_element(rows) / (1.0 * shape.tokens * shape.top_k);
}

double median_over_draws(double busiest, const MoeShape& shape) {
  constexpr std::uint32_t kDraws = 61;
  std::vector<double> shares;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw)
    shares.push_back(
        busiest_share({.kind = "lognormal", .seed = 4, .busiest = busiest, .micro_batch = draw}, shape));
  std::ranges::sort(shares);
  return shares[kDraws / 2];
}

TEST_CASE("Lognormal routing gives the busiest rank the rows that are asked for, in the median of draws") {
  MoeShape many = kNatural;
  many.tokens = 512;
  many.ep = 16;
  // Tokens' own chance adds about one per cent; a median of a hundred draws is as uncertain.
  constexpr double kWithin = 0.025;
  for (const double busiest : {1.05, 1.15, 1.3})
    CHECK(median_over_draws(busiest, kNatural) == Approx(busiest).margin(kWithin));
  CHECK(median_over_draws(1.15, many) == Approx(1.15).margin(kWithin));
}

TEST_CASE("Lognormal routing without a busier rank is uniform but for tokens' own chance") {
  CHECK(median_over_draws(1, kNatural) < 1.02);
}

TEST_CASE("Lognormal draws repeat by seed and micro-batch, and differ between them") {
  const RoutingSpec one{.kind = "lognormal", .seed = 4};
  CHECK(route(one, kNatural) == route(one, kNatural));
  CHECK(route(one, kNatural) != route({.kind = "lognormal", .seed = 5}, kNatural));
  CHECK(route(one, kNatural) != route(another_draw(one, 1), kNatural));
  CHECK(another_draw(one, 0).micro_batch == 0);
}

TEST_CASE("Other kinds that draw have other seeds in another draw, and the same in draw 0") {
  const RoutingSpec sampled{.kind = "sampled", .seed = 4, .skew = 0.3};
  CHECK(another_draw(sampled, 0).seed == 4);
  CHECK(route(another_draw(sampled, 1), kNatural) != route(sampled, kNatural));
  CHECK(route(another_draw(sampled, 1), kNatural) == route(another_draw(sampled, 1), kNatural));
}

TEST_CASE(
    "Lognormal routing refuses a rank that would be busier than all tokens make it, and says what is "
    "possible") {
  // Two ranks, and each token goes to half of all experts: a rank has at most twice the mean.
  MoeShape two = kNatural;
  two.ep = 2;
  two.experts_per_rank = 8;
  CHECK_THROWS_WITH(route({.kind = "lognormal", .busiest = 2.5}, two),
                    Catch::Contains("routing.busiest") && Catch::Contains("expected at most 1."));
  CHECK_THROWS_AS(route({.kind = "lognormal", .busiest = 0.5}, two), InputError);
}

}  // namespace
}  // namespace a3sim
