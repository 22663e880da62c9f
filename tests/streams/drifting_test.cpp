#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "models/routing/routing.h"
#include "sim/core/error.h"

using namespace a3sim;

namespace {

// Tokens choose one expert: how often is proportional to popularity.
constexpr MoeShape kMany{
    .tokens = 400'000, .hidden = 8, .intermediate = 8, .top_k = 1, .experts_per_rank = 64, .ep = 1};

std::vector<double> logarithms(const RoutingSpec& spec) {
  std::vector<double> logs;
  const RoutingCounts counts = route(spec, kMany);
  for (const std::uint32_t rows : counts.source(0)) logs.push_back(std::log(std::max(1U, rows)));
  return logs;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

double covariance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> products;
  for (std::size_t i = 0; i < a.size(); ++i) products.push_back((a[i] - mean(a)) * (b[i] - mean(b)));
  return mean(products);
}

// Over many seeds: the variance of the logarithms, and the covariance `apart` micro-batches later.
struct Moments {
  double variance = 0, covariance = 0;
};
Moments moments(const RoutingSpec::Drift& drift, std::uint32_t apart) {
  constexpr std::uint64_t kSeeds = 12;
  Moments all;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RoutingSpec spec{.kind = "drifting", .seed = seed, .micro_batch = 3, .drift = drift};
    const std::vector<double> a = logarithms(spec);
    spec.micro_batch += apart;
    const std::vector<double> b = logarithms(spec);
    all.variance += covariance(a, a) / kSeeds;
    all.covariance += covariance(a, b) / kSeeds;
  }
  return all;
}

}  // namespace

TEST_CASE("Popularity is log-normal with the given sigma") {
  constexpr double kSigma = 0.8;
  CHECK(moments({kSigma, 0.5, 0.9}, 0).variance == Approx(kSigma * kSigma).epsilon(0.1));
}

TEST_CASE("A part of the variance lasts, the rest decays with its correlation") {
  constexpr double kSigma = 0.8, kLasting = 0.4, kCorrelation = 0.7;
  constexpr std::uint32_t kApart = 2;
  const Moments measured = moments({kSigma, kLasting, kCorrelation}, kApart);
  const double stays = kLasting + (1 - kLasting) * std::pow(kCorrelation, kApart);
  CHECK(measured.covariance / measured.variance == Approx(stays).margin(0.06));
}

TEST_CASE("Without sigma all experts are alike, and micro-batches are drawn apart") {
  RoutingSpec spec{.kind = "drifting", .seed = 1, .drift = {0, 0.5, 0.9}};
  const RoutingCounts first = route(spec, kMany);
  const double each = 1.0 * kMany.tokens / kMany.experts();
  for (const std::uint32_t rows : first.source(0)) CHECK(rows == Approx(each).margin(5 * std::sqrt(each)));
  spec.micro_batch = 1;
  CHECK(first != route(spec, kMany));
}

TEST_CASE(
    "What the experts of a rank have in common moves them together, and nothing else if they are alike") {
  constexpr MoeShape kTwoRanks{
      .tokens = 400'000, .hidden = 8, .intermediate = 8, .top_k = 1, .experts_per_rank = 8, .ep = 2};
  constexpr double kCommon = 0.5;
  constexpr std::uint64_t kSeeds = 40;
  double square = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RoutingSpec spec{.kind = "drifting", .seed = seed, .drift = {0, 0.5, 0.9, kCommon}};
    const RoutingCounts counts = route(spec, kTwoRanks);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const double first = counts.at(0, rank * 8);
      for (std::uint32_t e = rank * 8; e < rank * 8 + 8; ++e)
        CHECK(counts.at(0, e) == Approx(first).margin(7 * std::sqrt(first)));
    }
    const double apart = std::log(1.0 * counts.at(0, 0) / counts.at(0, 8));
    square += apart * apart / kSeeds;
  }
  // Of two independent normal values.
  CHECK(square == Approx(2 * kCommon * kCommon).epsilon(0.4));
}

TEST_CASE("A drift that cannot be is refused") {
  CHECK_THROWS_AS(route({.kind = "drifting", .seed = 1, .drift = {1, 0.5, 0.9, -1}}, kMany), InputError);
  CHECK_THROWS_AS(route({.kind = "drifting", .seed = 1, .drift = {-1, 0.5, 0.9}}, kMany), InputError);
  CHECK_THROWS_AS(route({.kind = "drifting", .seed = 1, .drift = {1, 1.5, 0.9}}, kMany), InputError);
}
