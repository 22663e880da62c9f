#include "sim/traffic/decision.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "models/routing/routing.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/traffic/fitted_experiment.h"
#include "sim/traffic/log_report.h"
#include "tests/scratch_directory.h"

using namespace a3sim;

namespace {

constexpr MoeShape kSmall{.tokens = 64, .top_k = 2, .experts_per_rank = 4, .ep = 4};

// Writes the steps of a kind of routing as counts by source and expert.
std::string table_of(RoutingSpec spec, std::uint32_t steps, MoeShape shape = kSmall) {
  std::string text = "step,layer,source";
  for (std::uint32_t e = 0; e < shape.experts(); ++e) text += fmt::format(",expert_{}", e);
  text += '\n';
  for (std::uint32_t step = 0; step < steps; ++step) {
    spec.micro_batch = step;
    const RoutingCounts counts = route(spec, shape);
    for (std::uint32_t r = 0; r < shape.ep; ++r) {
      text += fmt::format("{},0,{}", step, r);
      for (const std::uint32_t rows : counts.source(r)) text += fmt::format(",{}", rows);
      text += '\n';
    }
  }
  return text;
}

TrafficDecision decided(const std::string& table, unsigned threads = 1,
                        std::uint32_t tokens = kSmall.tokens) {
  const ScratchDirectory scratch;
  const TrafficLog log = read_traffic_log(scratch.add("log.csv", table));
  const FittedExperiment fitted =
      fit_experiment(log, {"",
                           {"parallel.ep=4", "model.top_k=2", "model.hidden=512", "model.intermediate=512"},
                           tokens,
                           DealBy::kTurn,
                           {}});
  DecideOptions options;
  options.threads = threads;
  options.steps = 6;
  options.paths = {"kernel_by_kernel"};
  return decide(log, fitted.layer, fitted.experiment, options);
}

}  // namespace

TEST_CASE("Something is worth it from an interval above zero, and not worth it from one that is small") {
  CHECK(verdict_of({0.05, 0.01, 0.09}, 0.01) == BalanceVerdict::kDo);
  CHECK(verdict_of({0.05, -0.001, 0.09}, 0.01) == BalanceVerdict::kUndecided);
  CHECK(verdict_of({0.009, 0.001, 0.0199}, 0.01) == BalanceVerdict::kDoNot);
  CHECK(verdict_of({0.009, 0.001, 0.02}, 0.01) == BalanceVerdict::kUndecided);
  CHECK(verdict_of({-0.1, -0.2, 0}, 0.01) == BalanceVerdict::kDoNot);
}

TEST_CASE("Balanced traffic does not pay, and the sentence has the table's numbers") {
  const TrafficDecision d = decided(table_of({}, 24));
  CHECK(d.verdict() == BalanceVerdict::kDoNot);
  CHECK(d.sentence().starts_with("Do not: balancing does not pay"));
  const BalanceRemedy& best = d.remedies[d.best];
  CHECK(d.sentence().find(fmt::format("saves {:.1f} % (95 %: {:.1f} to {:.1f} %)", 100 * best.net.median,
                                      100 * best.net.low, 100 * best.net.high)) != std::string::npos);
  const nlohmann::ordered_json json = decision_report(d).json();
  CHECK(json["sentence"] == d.sentence());
  CHECK(json["verdict"] == "do not");
  CHECK(json["remedies"][d.best]["net"] == best.net.median);
  CHECK(d.unevenness.rank.median == Approx(1).margin(0.02));
}

TEST_CASE("A move pays only if it comes back within the steps that the record shows") {
  std::size_t paying = 0, unseen = 0;
  for (const std::size_t steps : {8, 24, 96}) {
    const TrafficDecision d = decided(table_of({.kind = "hot_rank", .seed = 1, .busiest = 2.5}, steps));
    for (const BalanceRemedy& remedy : d.remedies) {
      INFO(remedy.name << " on " << remedy.on << ", " << steps << " steps, back after " << remedy.break_even);
      const bool late = remedy.break_even > static_cast<double>(d.rest);
      if (remedy.verdict == BalanceVerdict::kDo) CHECK_FALSE(late);
      if (remedy.unseen) CHECK((late && remedy.verdict == BalanceVerdict::kUndecided));
      paying += remedy.verdict == BalanceVerdict::kDo ? 1 : 0;
      unseen += remedy.unseen ? 1 : 0;
    }
    if (d.remedies[d.best].unseen) CHECK(d.sentence().find("a longer log would tell") != std::string::npos);
  }
  CHECK(paying > 0);
  CHECK(unseen > 0);
}

TEST_CASE("Results do not depend on the number of threads") {
  const std::string table = table_of({.kind = "mixed", .seed = 3, .busiest = 4}, 24);
  TrafficDecision one = decided(table, 1), three = decided(table, 3);
  one.log = three.log;  // a file in another scratch directory
  CHECK(decision_report(one).json() == decision_report(three).json());
}

TEST_CASE("A rank whose experts all are hot is unloaded by placement, as far as rows say") {
  const TrafficDecision d = decided(table_of({.kind = "hot_rank", .seed = 1, .busiest = 3}, 24));
  CHECK(d.unevenness.rank.median == Approx(3).epsilon(0.02));
  CHECK(d.unevenness.lasting == Approx(1).margin(0.02));
  CHECK(d.unevenness.foretold == Approx(1).margin(0.02));
  CHECK(d.remedies.front().busiest < 1.1);
  CHECK(d.remedies.front().gain.median > 0);
  CHECK(d.ages.back().busiest < 1.1);
}

TEST_CASE("Variance is split into what lasts, what drifts and chance, as it was made") {
  // Popularity of sigma 0.4, of which a known part lasts; chance follows from the tokens.
  const MoeShape shape{.tokens = 2000, .top_k = 4, .experts_per_rank = 16, .ep = 4};
  const double lasting = GENERATE(0.2, 0.5, 0.9);
  std::vector<RoutingCounts> steps;
  for (std::uint32_t step = 0; step < 60; ++step)
    steps.push_back(route({.kind = "drifting",
                           .seed = 5,
                           .micro_batch = step,
                           .drift = {.sigma = 0.4, .lasting = lasting, .correlation = 0}},
                          shape));
  const Unevenness u = unevenness_of(steps, shape, chance_ratios(shape));
  CHECK(u.lasting / (u.lasting + u.drifting) == Approx(lasting).margin(0.12));
  CHECK(u.chance < 0.05);
  CHECK(u.lasting + u.drifting + u.chance == Approx(1));
  // The same popularity, and 32 tokens: most of it is chance.
  const MoeShape few{.tokens = 8, .top_k = 4, .experts_per_rank = 16, .ep = 4};
  std::vector<RoutingCounts> short_steps;
  for (std::uint32_t step = 0; step < 200; ++step)
    short_steps.push_back(route({.kind = "sampled", .seed = step}, few));
  const Unevenness chance = unevenness_of(short_steps, few, chance_ratios(few));
  CHECK(chance.chance > 0.95);
  CHECK(chance.rank.median == Approx(chance.rank.chance).epsilon(0.1));
}

TEST_CASE("What is decided on one half of a record is right on the other half where 2 % are at stake",
          "[slow]") {
  MoeShape shape = kSmall;
  shape.tokens = 1024;
  const std::vector<RoutingSpec> kinds{
      {},
      {.kind = "hot_rank", .seed = 1, .busiest = 2.5},
      {.kind = "long_tail", .seed = 2, .busiest = 5},
      {.kind = "mixed", .seed = 3, .busiest = 4},
      {.kind = "rotating", .busiest = 4},
      {.kind = "drifting", .seed = 4, .drift = {.sigma = 0.6, .lasting = 0.9, .correlation = 0.9}},
      {.kind = "drifting", .seed = 5, .drift = {.sigma = 0.6, .lasting = 0, .correlation = 0.5}}};
  std::size_t at_stake = 0, undecided = 0;
  for (const RoutingSpec& kind : kinds) {
    INFO(kind.kind << " seed " << kind.seed);
    const TrafficDecision half = decided(table_of(kind, 24, shape), 2, shape.tokens),
                          whole = decided(table_of(kind, 48, shape), 2, shape.tokens);
    for (std::size_t i = 0; i < half.remedies.size(); ++i) {
      // Of one that is made once, what it saves when it is in place: how long that must last, its break-even says.
      const BalanceRemedy& remedy = whole.remedies[i];
      const MedianInterval& paid = remedy.move.bytes > 0 && remedy.again == 0 ? remedy.gain : remedy.net;
      if (std::abs(paid.median) <= 0.02 || !paid.clear()) continue;
      ++at_stake;
      undecided += half.remedies[i].verdict == BalanceVerdict::kUndecided && !half.remedies[i].unseen ? 1 : 0;
      INFO(remedy.name << " pays " << paid.median);
      CHECK(half.remedies[i].verdict != (paid.median > 0 ? BalanceVerdict::kDoNot : BalanceVerdict::kDo));
    }
  }
  CHECK(at_stake > 12);
  CHECK(undecided <= at_stake / 5);
}

TEST_CASE("The shipped records are read, and the warm-up of the log of tokens is found in both layers") {
  const TrafficLog tokens = read_traffic_log(configs_folder() / "traffic" / "tokens.jsonl.gz");
  CHECK(tokens.left_out == NoTrafficRows{.dummy_rows = 2 * 512, .dummy_runs = 2});
  CHECK(tokens.layers == std::map<std::uint32_t, std::uint64_t>{{0, 1600}, {2, 1600}});
  CHECK(tokens.layers_missing() == std::vector<std::uint32_t>{1});
  const TrafficLog counts = read_traffic_log(configs_folder() / "traffic" / "expert_counts.csv");
  CHECK(counts.experts == 64);
  CHECK(deal_traffic(counts, 0, {8, 4096, DealBy::kTurn, 8, 64}).steps.size() == 32);
}

TEST_CASE("A record that is too short to decide on one part and pay on another is refused") {
  CHECK_THROWS_AS(decided(table_of({}, 5)), InputError);
}
