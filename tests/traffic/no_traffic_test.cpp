#include "models/traffic/no_traffic.h"

#include <catch2/catch.hpp>
#include <functional>

#include "models/routing/popularity.h"
#include "models/routing/routing.h"
#include "models/traffic/json_record.h"
#include "sim/core/rng.h"

using namespace a3sim;

namespace {

// A log in memory: rows are made when they are asked for, so that it can be read twice.
struct MadeLog {
  std::vector<TokenRow> rows;

  void add(std::vector<std::uint32_t> experts, std::uint64_t weights, std::uint64_t request = 1,
           std::int64_t token = -1) {
    TokenRow row;
    row.experts = std::move(experts);
    row.weights = weights;
    row.request = request;
    row.token = token < 0 ? static_cast<std::int64_t>(rows.size()) : token;
    rows.push_back(std::move(row));
  }

  NoTrafficRows left_out(std::vector<TokenRow>* kept = nullptr) const {
    NoTraffic none;
    for (const TokenRow& row : rows) none.add(row);
    none.finish();
    TrafficRows traffic(none, [&](const TokenRow& row, std::uint64_t) {
      if (kept) kept->push_back(row);
    });
    for (const TokenRow& row : rows) traffic.add(row);
    traffic.finish();
    return traffic.left_out();
  }
};

// Adds independent tokens whose first expert has this part of all draws; weights that differ, or none.
void add_tokens(MadeLog& log, std::size_t count, std::uint32_t experts, std::uint32_t top_k, double hot,
                std::uint64_t seed, bool weights) {
  Rng rng(seed);
  std::vector<double> popular(experts, (1 - hot) / (experts - 1));
  popular[0] = hot;
  const MoeShape shape{
      .tokens = static_cast<std::uint32_t>(count), .top_k = top_k, .experts_per_rank = experts, .ep = 1};
  const std::vector<std::uint32_t> drawn = Popularity(popular).assign(shape, Rng(seed, 1));
  for (std::size_t t = 0; t < count; ++t)
    log.add({drawn.begin() + static_cast<std::ptrdiff_t>(t * top_k),
             drawn.begin() + static_cast<std::ptrdiff_t>((t + 1) * top_k)},
            weights ? rng.next() : 0);
}

}  // namespace

TEST_CASE("Rows of a warm-up are left out, all of them and no other") {
  const bool weights = GENERATE(true, false);
  const std::size_t runs = GENERATE(1U, 5U, 200U), length = GENERATE(64U, 500U, 4000U);
  MadeLog log;
  std::size_t clean = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < length; ++i) log.add({43, 5, 7, 58}, weights ? 99 : 0);
    add_tokens(log, 300, 60, 4, 1.0 / 60, run, weights);
    clean += 300;
  }
  std::vector<TokenRow> kept;
  const NoTrafficRows out = log.left_out(&kept);
  CHECK(out.dummy_rows == runs * length);
  CHECK(out.dummy_runs == runs);
  CHECK(kept.size() == clean);
}

TEST_CASE("Short runs of a warm-up's routing are padding, single rows of it are traffic") {
  MadeLog log;
  for (int i = 0; i < 2000; ++i) log.add({1, 2}, 7);
  for (int batch = 0; batch < 20; ++batch) {
    add_tokens(log, 25, 60, 2, 1.0 / 60, static_cast<std::uint64_t>(batch), true);
    for (int i = 0; i < 8; ++i) log.add({1, 2}, 7);
  }
  log.add({3, 4}, 5);
  for (int i = 0; i < 7; ++i) log.add({1, 2}, 7);
  const NoTrafficRows out = log.left_out();
  CHECK(out.dummy_rows == 2000 + 20 * 8);
}

TEST_CASE("A clean log loses nothing, however hot its experts are") {
  // Models with few experts and one expert a token have long runs of one routing by chance; without weights nothing else tells.
  const double hot = GENERATE(0.125, 0.5, 0.9, 0.99, 0.999);
  const std::size_t tokens = GENERATE(2000U, 50'000U);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    INFO(hot << " " << tokens << " seed " << seed);
    MadeLog log;
    add_tokens(log, tokens, 8, 1, hot, seed, false);
    const NoTrafficRows out = log.left_out();
    CHECK(out.rows() == 0);
  }
}

TEST_CASE("A clean log whose routings cling together loses nothing") {
  // Each token repeats the one before it with this probability, as texts of one topic or spaces do.
  const double cling = GENERATE(0.5, 0.8, 0.9);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    MadeLog log;
    std::uint32_t at = 0;
    for (int t = 0; t < 20'000; ++t) {
      if (rng.uniform() >= cling) at = rng.below(30);
      log.add({at, 30 + at}, 0);
    }
    CHECK(log.left_out().rows() == 0);
  }
}

TEST_CASE("A log that is dealt in turn, and so repeats itself, loses nothing") {
  const std::uint32_t request = GENERATE(16U, 24U, 30U, 60U, 128U);
  MadeLog log;
  for (std::uint32_t t = 0; t < 6000; ++t) {
    std::vector<std::uint32_t> experts;
    for (std::uint32_t k = 0; k < 4; ++k) experts.push_back((4 * t + k) % 60);
    log.add(experts, 0, 1 + t / request, t % request);
  }
  CHECK(log.left_out().rows() == 0);
}

TEST_CASE("Traffic of each kind that is generated here loses nothing") {
  const MoeShape shape{.tokens = 512, .top_k = 4, .experts_per_rank = 8, .ep = 4};
  for (const char* kind : {"balanced", "sampled", "drifting", "hot_expert", "hot_rank", "rotating", "bursts",
                           "long_tail", "mixed"}) {
    MadeLog log;
    for (std::uint32_t step = 0; step < 6; ++step) {
      const RoutingSpec spec{.kind = kind, .seed = 3, .skew = 1, .busiest = 4, .micro_batch = step};
      for (std::uint32_t src = 0; src < shape.ep; ++src) {
        const std::vector<std::uint32_t> experts = Routings::get(kind).assign(spec, shape, src);
        Rng rng(step, src);
        for (std::size_t t = 0; t < shape.tokens; ++t) {
          std::vector<std::uint32_t> own;
          for (std::size_t k = 0; k < shape.top_k; ++k)
            if (experts[t * shape.top_k + k] < shape.experts()) own.push_back(experts[t * shape.top_k + k]);
          if (!own.empty()) log.add(own, rng.next(), 1 + step * shape.ep + src, static_cast<std::int64_t>(t));
        }
      }
    }
    INFO(kind);
    CHECK(log.left_out().rows() == 0);
  }
}

TEST_CASE("A request that comes again is left out, its first coming is not") {
  MadeLog log;
  const auto add_request = [&](std::uint64_t name, std::uint64_t seed, int rows) {
    Rng rng(seed);
    for (int t = 0; t < rows; ++t) log.add({rng.below(60), 60 + rng.below(60)}, rng.next(), name, t);
  };
  add_request(1, 10, 40);
  add_request(2, 20, 40);
  add_request(3, 10, 40);  // again, by another name
  add_request(2, 20, 40);  // again, by its own
  add_request(4, 10, 15);  // too short to tell
  const NoTrafficRows out = log.left_out();
  CHECK(out.repeated_requests == 2);
  CHECK(out.repeated_rows == 2 * 40);
  CHECK(out.dummy_rows == 0);
}

TEST_CASE("Rows without an expert are padding") {
  MadeLog log;
  add_tokens(log, 100, 60, 2, 1.0 / 60, 1, true);
  for (int i = 0; i < 30; ++i) log.add({}, 0);
  CHECK(log.left_out().padding_rows == 30);
}
