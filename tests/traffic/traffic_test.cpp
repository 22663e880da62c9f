#include "models/traffic/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "models/routing/routing.h"
#include "sim/core/error.h"
#include "tests/scratch_directory.h"

using namespace a3sim;

namespace {

// Tokens 0, 1, 2, … of which token t goes to experts t mod 5 and 5 + t mod 3, in requests of 7.
std::string tokens_text(int tokens) {
  std::string text;
  for (int t = 0; t < tokens; ++t)
    text += fmt::format(
        "{{\"layer\": 1, \"req_id\": \"q{}\", \"token_idx\": {}, \"topk_ids\": [{}, {}], \"topk_weights\": "
        "[0.{}1, 0.5]}}\n",
        t / 7, t % 7, t % 5, 5 + t % 3, t);
  return text;
}

}  // namespace

TEST_CASE("Tokens are dealt in turn, in blocks or by request, and a step that is not full is left out") {
  const ScratchDirectory scratch;
  const TrafficLog log = read_traffic_log(scratch.add("log.jsonl", tokens_text(100)));
  CHECK(log.rows == 100);
  CHECK(log.experts == 8);
  CHECK(log.top_k == 2);
  CHECK(log.layers_missing() == std::vector<std::uint32_t>{0});
  const std::uint32_t ranks = 3, tokens = 4;
  for (const DealBy by : {DealBy::kTurn, DealBy::kBlocks}) {
    std::vector<RoutingCounts> expected;
    for (std::uint32_t step = 0; step < 100 / (ranks * tokens); ++step) {
      RoutingCounts counts(ranks, 8);
      for (std::uint32_t i = 0; i < ranks * tokens; ++i) {
        const std::uint32_t t = step * ranks * tokens + i,
                            rank = by == DealBy::kTurn ? i % ranks : i / tokens;
        ++counts.at(rank, t % 5);
        ++counts.at(rank, 5 + t % 3);
      }
      expected.push_back(counts);
    }
    const TrafficSteps steps = deal_traffic(log, 1, {ranks, tokens, by, 2, 8});
    CHECK(steps.steps == expected);
    CHECK(steps.unfinished == 100 % (ranks * tokens));
  }
  // Requests of 7 tokens: 0, 3, 6, … go to rank 0, so its first step has the first four tokens of request 0. The
  // last request has two tokens and goes to rank 2, which then has 4 x 7 + 2.
  const TrafficSteps steps = deal_traffic(log, 1, {ranks, tokens, DealBy::kRequests, 2, 8});
  REQUIRE(steps.steps.size() == (4 * 7 + 2) / tokens);
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t t = 7 * r; t < 7 * r + 4; ++t) CHECK(steps.steps.front().at(r, t % 5) > 0);
  CHECK_THROWS_AS(deal_traffic(log, 0, {ranks, tokens, DealBy::kTurn, 2, 8}), InputError);
  CHECK_THROWS_AS(deal_traffic(log, 1, {ranks, 50, DealBy::kTurn, 2, 8}), InputError);
}

TEST_CASE("Counts of all ranks together are shared out evenly, and scaled where a step has fewer tokens") {
  const ScratchDirectory scratch;
  const TrafficLog log =
      read_traffic_log(scratch.add("c.json", "[[[40, 20, 12, 8]], [[8, 8, 32, 32]], [[1, 0, 1, 0]]]"));
  CHECK(!log.tokens);
  const TrafficSteps whole = deal_traffic(log, 0, {2, 20, DealBy::kTurn, 2, 4});
  REQUIRE(whole.steps.size() == 2);  // the last window was not over
  CHECK(whole.unfinished == 1);
  CHECK(whole.steps[0].at(0, 0) == 20);
  CHECK(whole.steps[0].at(1, 0) == 20);
  CHECK(whole.steps[0].at(0, 3) + whole.steps[0].at(1, 3) == 8);
  const TrafficSteps half = deal_traffic(log, 0, {2, 10, DealBy::kTurn, 2, 4});
  std::uint32_t sum = 0;
  for (std::uint32_t r = 0; r < 2; ++r)
    for (std::uint32_t e = 0; e < 4; ++e) sum += half.steps[0].at(r, e);
  CHECK(sum == 2 * 10 * 2);
  CHECK(half.steps[0].at(0, 0) == 10);
}

TEST_CASE("A log is a routing: step after step of a layer, as it is dealt") {
  const ScratchDirectory scratch;
  const auto file = scratch.add("log.jsonl", tokens_text(100));
  const MoeShape shape{.tokens = 4, .top_k = 2, .experts_per_rank = 3, .ep = 3};
  const TrafficLog log = read_traffic_log(file);
  const TrafficSteps steps = deal_traffic(log, 1, {3, 4, DealBy::kTurn, 2, 9});
  for (std::uint32_t step = 0; step < steps.steps.size(); ++step) {
    const RoutingSpec spec{.kind = "recorded", .file = file.string(), .layer = 1, .micro_batch = step};
    CHECK(route(spec, shape) == steps.steps[step]);
    const RoutingGenerator& generator = Routings::get("recorded");
    CHECK(generator.RoutingGenerator::counts(spec, shape) == steps.steps[step]);
  }
  CHECK_THROWS_AS(route({.kind = "recorded", .file = file.string(), .layer = 1, .micro_batch = 8}, shape),
                  InputError);
  MoeShape few = shape;
  few.top_k = 1;
  CHECK_THROWS_AS(route({.kind = "recorded", .file = file.string(), .layer = 1}, few), InputError);
}

TEST_CASE("Benchmarks of imbalance are as uneven as they say") {
  const MoeShape shape{.tokens = 600, .top_k = 2, .experts_per_rank = 5, .ep = 4};
  const double mean = 600.0 * 4 * 2 / 20;
  const auto of = [&](const char* kind, double busiest, std::uint32_t batch = 0) {
    const RoutingCounts counts =
        route({.kind = kind, .seed = 6, .busiest = busiest, .micro_batch = batch}, shape);
    std::vector<double> rows(20, 0);
    for (std::uint32_t r = 0; r < 4; ++r)
      for (std::uint32_t e = 0; e < 20; ++e) rows[e] += counts.at(r, e);
    return rows;
  };
  const auto busiest = [&](const std::vector<double>& rows) {
    return *std::ranges::max_element(rows) / mean;
  };
  CHECK(of("hot_expert", 4)[6] == Approx(4 * mean).margin(4));
  CHECK(of("hot_expert", 4)[7] == Approx((20 * mean - 4 * mean) / 19).margin(4));
  const std::vector<double> ranks = of("hot_rank", 2.5);  // seed 6: rank 2
  for (std::uint32_t e = 10; e < 15; ++e) CHECK(ranks[e] == Approx(2.5 * mean).margin(4));
  CHECK(busiest(of("long_tail", 6)) == Approx(6).margin(0.02));
  const RoutingCounts ragged = route({.kind = "ragged", .busiest = 2}, shape);
  std::vector<double> sent;
  for (std::uint32_t r = 0; r < 4; ++r) {
    sent.push_back(0);
    for (std::uint32_t e = 0; e < 20; ++e) sent.back() += ragged.at(r, e);
  }
  CHECK(sent[0] == 1200);
  CHECK(4 * sent[0] / (sent[0] + sent[1] + sent[2] + sent[3]) == Approx(2).epsilon(0.01));
  std::set<std::ptrdiff_t> hot;
  int bursts = 0;
  for (std::uint32_t batch = 0; batch < 200; ++batch) {
    const std::vector<double> rows = of("rotating", 4, batch);
    if (batch < 20) hot.insert(std::ranges::max_element(rows) - rows.begin());
    bursts += busiest(of("bursts", 4, batch)) > 2 ? 1 : 0;
  }
  CHECK(hot.size() == 20);
  CHECK(bursts > 30);
  CHECK(bursts < 70);
}

TEST_CASE(
    "A log of far fewer experts than the model has is refused, one whose last experts got no token is not") {
  const ScratchDirectory scratch;
  const RoutingSpec spec{
      .kind = "recorded", .file = scratch.add("log.jsonl", tokens_text(100)).string(), .layer = 1};
  const RoutingGenerator& generator = Routings::get("recorded");
  const auto experts = [](std::uint32_t per_rank) {
    return MoeShape{.tokens = 4, .top_k = 2, .experts_per_rank = per_rank, .ep = 2};
  };
  CHECK_NOTHROW(generator.counts(spec, experts(4)));
  CHECK_NOTHROW(generator.counts(spec, experts(7)));
  CHECK_THROWS_WITH(generator.counts(spec, experts(8)), Catch::Contains("those of the model to 2 of 16"));
}
