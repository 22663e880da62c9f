#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/step/run_text.h"

namespace a3sim {
namespace {

// Eight dies per stage: four groups of two that hold the same tokens.
std::vector<std::string> split_over(const std::string& dies, const std::vector<std::string>& more = {}) {
  std::vector<std::string> set = {"parallel.tp=2", "parallel.dp=4", "parallel.ep=4", "step.global_batch=8",
                                  "parallel.etp=" + dies};
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

const BlockTimes& moe_of(const Ran& ran) {
  for (const BlockTimes& block : ran.prepared.blocks)
    if (!block.experts.empty()) return block;
  throw std::logic_error("no experts");
}

double ep_bytes_of(const Ran& ran) {
  double bytes = 0;
  for (std::uint32_t t = 0; t < ran.run.written.tasks.size(); ++t)
    if (ran.run.written.tasks[t].kind == StepTask::Kind::kEp)
      for (const StreamTransfer& transfer : ran.run.written.program.tasks[t].transfers)
        bytes += static_cast<double>(transfer.bytes.count);
  return bytes;
}

}  // namespace

TEST_CASE("experts that two dies share are held by half, computed as often, and their rows go to both") {
  const Ran whole = run_text(kSmall, split_over("1")), halves = run_text(kSmall, split_over("2"));
  const BlockTimes &one = moe_of(whole), &two = moe_of(halves);
  CHECK(two.expert_parameters == Approx(one.expert_parameters / 2));
  CHECK(two.dense_parameters == Approx(one.dense_parameters));
  CHECK(two.flops_run == Approx(one.flops_run));
  // As many rows leave each die for experts, on the way there and back.
  const std::vector<std::string> each = {"program.bulk.once_a_rank=false"};
  CHECK(ep_bytes_of(run_text(kSmall, split_over("2", each))) ==
        Approx(ep_bytes_of(run_text(kSmall, split_over("1", each)))).epsilon(0.01));
  constexpr double kTokens = 1024.0 / 2, kTopK = 2, kHidden = 1024, kBf16 = 2;
  for (const ExpertPass* const pass : {&two.experts.front().forward, &two.experts.front().backward})
    CHECK(pass->experts.tp_sent == Approx(2 * kTokens * kTopK * kHidden * kBf16));
  CHECK(one.experts.front().forward.experts.tp_sent == 0);
  // Products of all the rows by half of the columns take about as long.
  CHECK(seconds(two.experts.front().forward.experts.alone()) ==
        Approx(seconds(one.experts.front().forward.experts.alone())).epsilon(0.6));
  // Their input is kept for all rows, the rest for half of the columns.
  CHECK(two.kept - one.kept == Approx(kTokens * kTopK * kHidden * kBf16));
  // Without another die that has the same part, experts' gradients go nowhere.
  CHECK(halves.prepared.plan.step.expert_copies() == 1);
  CHECK(whole.prepared.plan.step.expert_copies() == 2);
}

TEST_CASE("dies that share experts are neighbours, and as many as divide those of the same tokens") {
  CHECK(run_text(kSmall, split_over("2")).experiment.parallel.tp_stride == 2);
  CHECK_THROWS_WITH(run_text(kSmall, split_over("3")),
                    Catch::Contains("parallel.etp") && Catch::Contains("1, 2"));
  CHECK_THROWS_WITH(run_text(kSmall, split_over("2", {"parallel.ep=8"})),
                    Catch::Contains("parallel.ep") && Catch::Contains("1, 2, 4"));
  CHECK_THROWS_WITH(run_text(kSmall, split_over("2", {"parallel.tp_stride=1"})),
                    Catch::Contains("parallel.tp_stride"));
}

}  // namespace a3sim
