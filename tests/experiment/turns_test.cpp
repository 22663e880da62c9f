#include "scheduler/compile/turns.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/few.h"

using namespace a3sim;
using Catch::Matchers::Contains;

// A few ranks that stand for a group that turns, against the whole group.
namespace {

Experiment load(const std::string& config, std::vector<std::string> set) {
  return load_experiment(configs_folder() / "experiments" / (config + ".yaml"), set);
}

std::vector<std::string> small_of(std::uint32_t ep, std::vector<std::string> more) {
  std::vector<std::string> set{"model.hidden=1024", "model.intermediate=256", "model.tokens=512",
                               fmt::format("parallel.ep={}", ep), "network.backend=native"};
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

struct AlikeAndAll {
  std::vector<PassResult> all, alike;
};

AlikeAndAll both(std::uint32_t ep, const std::vector<std::string>& more, const std::string& config = "ep8") {
  std::vector<std::string> set = config == "ep8" ? small_of(ep, more) : more;
  AlikeAndAll runs;
  runs.all = run_experiment(load(config, set), false);
  set.emplace_back("experiment.simulate=alike");
  runs.alike = run_experiment(load(config, set), false);
  return runs;
}

double off(const AlikeAndAll& runs) {
  return seconds(total_of(runs.alike)) / seconds(total_of(runs.all)) - 1;
}

Placement lying(std::vector<std::uint32_t> dies) { return {std::move(dies), {2, 16, 768}, 16}; }

std::vector<std::uint32_t> apart(std::uint32_t ranks, std::uint32_t stride) {
  std::vector<std::uint32_t> dies;
  for (std::uint32_t r = 0; r < ranks; ++r) dies.push_back(r * stride);
  return dies;
}

}  // namespace

TEST_CASE("turns: a group turns by what keeps packages and nodes together") {
  CHECK(least_turn(lying(apart(8, 2)), 8) == 1);    // one node, a package each
  CHECK(least_turn(lying(apart(8, 1)), 8) == 2);    // two a package
  CHECK(least_turn(lying(apart(16, 2)), 16) == 8);  // two nodes
  CHECK(least_turn(lying(apart(384, 1)), 384) == 16);
  CHECK(least_turn(lying(apart(1536, 1)), 1536) == 768);  // two supernodes
  CHECK(least_turn(lying(apart(24, 1)), 24) == 24);       // a node and a half
  CHECK(least_turn(lying({0, 1, 2, 5}), 4) == 4);
  CHECK(least_turn({}, 6) == 1);  // nobody is nearer than another
}

TEST_CASE("turns: rows lie on the rank that stands for another as far round") {
  const MoeShape shape{
      .tokens = 6, .hidden = 8, .intermediate = 8, .top_k = 1, .experts_per_rank = 2, .ep = 4};
  RoutingCounts counts(4, 8);  // 1 + how far round the expert's rank lies, and which of its experts it is
  for (std::uint32_t src = 0; src < 4; ++src)
    for (std::uint32_t e = 0; e < 8; ++e) counts.at(src, e) = 1 + 2 * ((e / 2 + 4 - src) % 4) + e % 2;
  CHECK(turned(counts, shape, 1) == counts);
  CHECK(turned(counts, shape, 2) == counts);
  RoutingCounts other = counts;
  other.at(3, 5) += 7;
  CHECK(turned(other, shape, 2) == counts);
  const RowLayout layout(shape, counts);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    for (std::uint32_t expert = 0; expert < 2; ++expert) {
      for (std::uint32_t src = 0; src < 4; ++src) {
        const Rows here = layout.received_slot(rank, expert, src),
                   there = layout.received_slot(0, expert, (src + 4 - rank) % 4);
        CHECK(turned_back(layout, Layout::kReceived, rank, {here.begin + 0, here.end}, 1) == there);
        if (here.size() > 1)
          CHECK(turned_back(layout, Layout::kReceived, rank, {here.begin + 1, here.end}, 1) ==
                Rows{there.begin + 1, there.end});
      }
    }
    for (std::uint32_t e = 0; e < 8; ++e)
      CHECK(turned_back(layout, Layout::kSent, rank, layout.sent_slot(rank, e), 1) ==
            layout.sent_slot(0, (e + 8 - 2 * rank) % 8));
  }
}

TEST_CASE("turns: kernel by kernel a group that turns is its first ranks, to the picosecond") {
  for (const std::uint32_t ep : few(2, {4U, 8U, 16U, 64U})) {
    INFO(ep);
    const AlikeAndAll runs = both(ep, {"experiment.execution=kernel"});
    REQUIRE(runs.alike.size() == runs.all.size());
    for (std::size_t p = 0; p < runs.all.size(); ++p) {
      const RunResult &all = runs.all[p].run, &alike = runs.alike[p].run;
      CHECK(alike.makespan == all.makespan);
      CHECK(alike.ranks.size() == (ep <= 8 ? 1 : 8));
      CHECK(runs.alike[p].bounds.time == runs.all[p].bounds.time);
      for (std::size_t r = 0; r < all.ranks.size(); ++r) {
        const RankResult &rank = all.ranks[r], &for_it = alike.ranks[r % alike.ranks.size()];
        CHECK(for_it.end == rank.end);
        CHECK(for_it.sent == rank.sent);
        CHECK(for_it.received == rank.received);
        CHECK(for_it.tasks == rank.tasks);
      }
    }
  }
}

TEST_CASE("turns: tile by tile too, where the L2 drops nothing") {
  for (const std::uint32_t ep : few(2, {4U, 8U, 16U, 32U})) {
    for (const char* execution : {"static", "dynamic"}) {
      INFO(ep << ' ' << execution);
      const AlikeAndAll runs =
          both(ep, {fmt::format("experiment.execution={}", execution), "hardware.memory.l2_size=16128 MiB"});
      for (std::size_t p = 0; p < runs.all.size(); ++p)
        CHECK(runs.alike[p].run.makespan == runs.all[p].run.makespan);
    }
  }
}

TEST_CASE("turns: ranks that exchange counts stand for one another, and those that pull rows do not") {
  const std::string all_in_l2 = "hardware.memory.l2_size=16128 MiB";
  const AlikeAndAll runs = both(8, {"experiment.dispatch=counted", all_in_l2});
  for (std::size_t p = 0; p < runs.all.size(); ++p) {
    CHECK(runs.alike[p].run.ranks.size() == 1);
    CHECK(runs.alike[p].run.makespan == runs.all[p].run.makespan);
  }
  // A pull waits for its source's count, and sources are counted from rank 0.
  CHECK_THROWS_WITH(both(8, {"experiment.dispatch=pull", all_in_l2}), Contains("are not alike"));
}

TEST_CASE("turns: parts of an expert's rows have those of other ranks on each rank, and are refused") {
  for (const char* parts : {"cut.partitions=2", "cut.passes.forward.partitions=2"})
    CHECK_THROWS_WITH(both(8, {parts}),
                      Contains("are not alike; take experiment.simulate all, or cut.partitions 1"));
}

TEST_CASE("turns: ranks whose rows share partitions stay together") {
  const auto kept = [](const char* sources) {
    return load("ep8", small_of(8, {std::string("cut.sources=") + sources, "experiment.simulate=alike"}))
        .representatives;
  };
  CHECK(kept("1") == 1);
  CHECK(kept("2") == 2);
  CHECK(kept("3") == 0);
  CHECK(kept("8") == 0);
}

TEST_CASE("turns: tile by tile a few ranks are within a percent of all") {
  for (const std::uint32_t ep : few(1, {8U, 16U, 32U})) {
    for (const char* execution : {"static", "dynamic"}) {
      INFO(ep << ' ' << execution);
      const AlikeAndAll runs = both(ep, {fmt::format("experiment.execution={}", execution)});
      CHECK(std::abs(off(runs)) < 0.01);
      for (std::size_t p = 0; p < runs.all.size(); ++p) {
        CHECK(runs.alike[p].run.ranks.front().sent == runs.all[p].run.ranks.front().sent);
        CHECK(runs.alike[p].run.ranks.front().received == runs.all[p].run.ranks.front().received);
        CHECK(runs.alike[p].bounds.time == runs.all[p].bounds.time);
      }
    }
  }
}

TEST_CASE("turns: the paper's shape at EP16 and EP64, as the README says", "[slow]") {
  for (const std::uint32_t ep : {16U, 64U}) {
    INFO(ep);
    const AlikeAndAll runs = both(ep, {fmt::format("parallel.ep={}", ep), "network.backend=native"}, "ep16");
    CHECK(std::abs(off(runs)) < 0.004);
    for (std::size_t p = 0; p < runs.all.size(); ++p)
      CHECK(std::abs(seconds(runs.alike[p].run.makespan) / seconds(runs.all[p].run.makespan) - 1) < 0.007);
  }
}

TEST_CASE("turns: rows that do not go up into experts are off by one at most") {
  const AlikeAndAll runs = both(16, {"model.tokens=500"});
  CHECK(std::abs(off(runs)) < 0.01);
}

TEST_CASE("turns: ranks that are not alike are refused") {
  const auto refused = [](std::vector<std::string> more, const char* why) {
    more.emplace_back("experiment.simulate=alike");
    CHECK_THROWS_WITH(run_experiment(load("ep8", small_of(16, std::move(more))), false), Contains(why));
  };
  refused({"routing={kind: sampled, skew: 0.5}"}, "ranks are not alike");
  refused({"order={name: mine, ctq: [stage, op, expert, row, tile], vtq: [stage, expert, chunk, dst]}"},
          "and the same of rank 8 have different keys");
  refused({"order={name: mine, ctq: [stage, op, expert, row, tile], vtq: [stage, expert, chunk]}"},
          "have equal keys");
  refused({"order={name: mine, ctq: [stage, op, expert, row, tile], vtq: [stage, index]}"}, "different keys");
  refused({"order={name: mine, ctq: [stage, op, gexpert, row, tile], vtq: [stage, expert, chunk, (dst - "
           "rank) % ep]}"},
          "different keys");
  refused({"ranks.clock={3: 0.9}"}, "expected all");
}
