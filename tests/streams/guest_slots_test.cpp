#include "sim/experiment/guest_slots.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/run_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// A small layer on 4 ranks, very uneven.
Experiment small(const std::string& method, std::vector<std::string> set = {}) {
  set.insert(set.begin(),
             {"experiment.method=" + method, "parallel.ep=4", "model.tokens=512", "model.hidden=512",
              "model.intermediate=256", "model.top_k=2", "model.experts_per_rank=16",
              "experiment.micro_batches=3", "balance.tau=4", "balance.stop=next", "routing.sigma=0.6",
              "network.backend=native", "cut.chunk=32", "cut.task_rows=32"});
  return load_experiment(configs_folder() / "experiments" / "feplb_a3_static.yaml", set);
}

GuestSlots slots_of(const Experiment& experiment) { return {experiment, draw_batches(experiment, 0)}; }

std::uint64_t sum(const RoutingCounts& counts, std::uint32_t first, std::uint32_t last) {
  std::uint64_t rows = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = first; e < last; ++e) rows += counts.at(src, e);
  }
  return rows;
}

}  // namespace

TEST_CASE("A guest's rows stand in its slot and nowhere else") {
  const Experiment experiment = small("feplb");
  const Batches batches = draw_batches(experiment, 0);
  const GuestSlots slots(experiment, batches);
  const std::uint32_t own = experiment.shape.experts_per_rank, all = own + 2;
  std::size_t moves = 0;
  for (std::size_t b = 0; b < batches.counts.size(); ++b) {
    const RoutingCounts &before = batches.counts[b], &after = slots.placed(b);
    CHECK(sum(after, 0, after.experts()) == sum(before, 0, before.experts()));
    std::vector<std::uint32_t> taken(experiment.shape.ep, 0);
    for (const ExpertMove& move : slots.moves(b)) {
      const std::uint32_t slot = move.to * all + own + taken[move.to]++;
      for (std::uint32_t src = 0; src < before.ranks(); ++src)
        CHECK(after.at(src, slot) == before.at(src, move.expert));
      const std::uint32_t place = move.from * all + move.expert % own;
      CHECK(sum(after, place, place + 1) == 0);
      ++moves;
    }
  }
  CHECK(moves > 0);
}

TEST_CASE("Without a balancer it is the plain taskflow of its most rows, replayed") {
  const Experiment experiment = small("none");
  const Batches batches = draw_batches(experiment, 0);
  Experiment plain = experiment;
  plain.work = taskflow_work();
  RoutingCounts most = batches.counts[0];
  for (const RoutingCounts& counts : batches.counts) {
    for (std::uint32_t src = 0; src < most.ranks(); ++src) {
      for (std::uint32_t e = 0; e < most.experts(); ++e)
        most.at(src, e) = std::max(most.at(src, e), counts.at(src, e));
    }
  }
  const std::vector<MicroBatchResult> results = slots_of(experiment).run();
  for (std::size_t b = 0; b < results.size(); ++b) {
    Compiled compiled{batches.counts[b], {}};
    for (const Pass& pass : plain.passes)
      compiled.passes.push_back({pass.name, compile_pass(plain, pass, most).schedule});
    CHECK(results[b].forward == run_pass(plain, compiled, 0, options_of(plain, false)).makespan);
    CHECK(results[b].backward == run_pass(plain, compiled, 1, options_of(plain, false)).makespan);
  }
}

TEST_CASE("Products of a slot wait for its weights, and the rest does not") {
  const auto forward = [](const char* rate) {
    const Experiment experiment = small("feplb", {std::string("hardware.copy_engine.rate=") + rate});
    const GuestSlots slots = slots_of(experiment);
    for (std::size_t b = 0; b < 3; ++b) {
      if (!slots.moves(b).empty()) return std::pair(slots.run()[b], slots.moves(b).size());
    }
    return std::pair(MicroBatchResult{}, std::size_t{0});
  };
  const auto [fast, moves] = forward("1 TB/s");
  const auto [slow, again] = forward("100 MB/s");
  constexpr Duration kCopy(static_cast<std::int64_t>(2.0 * 3 * 512 * 256 / 100e6 * 1e12));
  REQUIRE(moves > 0);
  CHECK(slow.forward > kCopy);
  CHECK(fast.forward < kCopy / 4);
  CHECK(fast.copied == moves * 2 * 3 * 512 * 256);
}

TEST_CASE("What cannot be replayed is refused with what can") {
  CHECK_THROWS_WITH(slots_of(small("tutel")),
                    Contains("runs on streams alone") && Contains("none and feplb"));
  CHECK_THROWS_WITH(compile_all(small("feplb")), Contains("--batches"));
}
