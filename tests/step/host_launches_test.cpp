#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/experiment.h"
#include "sim/experiment/step/training_step.h"

namespace a3sim {
namespace {

const std::string kHostLaunchesFile =
    std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/host_launches_of_test.yaml";

constexpr const char* kTwoStages =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/cann.yaml, ../orders/naive.yaml]
experiment: {name: two_stages, workload: training_step, execution: kernel}
model:
  name: two_stages
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  layers: [embedding, 4 dense, head]
step: {sequence: 1024, global_batch: 4, schedule: 1f1b, host: {launch: 1 ms}}
parallel: {dp: 1, pp: 2}
)";

StepRun two_stages(const std::vector<std::string>& set, PreparedStep& prepared) {
  const Experiment experiment = parse_experiment(kTwoStages, kHostLaunchesFile, set);
  prepared = prepare_step(experiment);
  return run_step(experiment, prepared);
}

bool is_on(const StreamTask& task, std::uint32_t stage, StepStream stream) {
  return task.rank == RankId{stage} && task.stream == static_cast<std::uint32_t>(stream);
}

// Operations of a stage's blocks for one micro-batch: all of its kernels, and exchanges of TP ranks.
std::uint32_t operations_of(const PreparedStep& prepared, std::uint32_t stage) {
  std::uint32_t operations = 0;
  for (const std::uint32_t b : prepared.layout.blocks_of(stage)) {
    const BlockTimes& block = prepared.blocks[b];
    for (const PartWorks* const works : {&block.forward, &block.again, &block.activation, &block.weights})
      for (const PartWork& part : *works) operations += part.calls + part.tp_calls;
  }
  return operations;
}

TEST_CASE(
    "the host's time counts each kernel, each exchange of TP ranks, and each end of a send between stages") {
  constexpr std::uint32_t kMicroBatches = 4;
  for (const bool split : {false, true}) {
    PreparedStep prepared;
    const StepRun run =
        two_stages(split ? std::vector<std::string>{"parallel.tp=2"} : std::vector<std::string>{}, prepared);
    for (const std::uint32_t stage : {0U, 1U}) {
      Duration host{};
      for (const StreamTask& task : run.written.program.tasks)
        if (is_on(task, stage, StepStream::kHost)) host += task.hold;
      // A stage sends one way, and receives the other way.
      const std::uint32_t operations = kMicroBatches * (operations_of(prepared, stage) + 2);
      CHECK(host == prepared.plan.step.launch * static_cast<std::int64_t>(operations));
    }
  }
}

TEST_CASE("where the host is slow, kernels of a part do not run at once, but each piece behind its launch") {
  PreparedStep prepared;
  // One stage: nobody waits for another one, while the host would run ahead.
  const StepRun run = two_stages({"parallel.pp=1", "step.schedule=none"}, prepared);
  std::vector<Duration> launched, begun;
  for (std::uint32_t t = 0; t < run.written.program.tasks.size(); ++t) {
    const StreamTask& task = run.written.program.tasks[t];
    const StreamRecord& record = run.result.records[t];
    if (is_on(task, 0, StepStream::kHost)) launched.push_back(record.end.time_since_epoch());
    if (is_on(task, 0, StepStream::kCompute) && run.written.tasks[t].kind == StepTask::Kind::kCompute)
      begun.push_back(record.start.time_since_epoch());
  }
  REQUIRE(begun.size() > 4);
  // 1 ms for each operation is far more than the kernels take.
  const auto at_launch = std::ranges::count_if(
      begun, [&](Duration start) { return std::ranges::find(launched, start) != launched.end(); });
  CHECK(at_launch > static_cast<std::ptrdiff_t>(begun.size()) * 3 / 4);
  CHECK(std::ranges::adjacent_find(begun) == begun.end());
}

TEST_CASE("pieces of a part sum to the part") {
  PartWork part;
  part.hold = Duration(1'000'003);
  part.job.ideal = Duration(777'777'777);
  part.job.bytes = {1e6, 3e6, 7e6};
  at(part.classes, TimeClass::kProducts) = Duration(500'000'000);
  at(part.classes, TimeClass::kVector) = part.alone() - Duration(500'000'000);
  for (const std::uint32_t pieces : {1U, 3U, 4U}) {
    PartWork sum;
    for (std::uint32_t p = 0; p < pieces; ++p) {
      const PartWork piece = part.piece(7 * p / pieces, 7 * (p + 1) / pieces, 7);
      CHECK(sum_of(piece.classes) == piece.alone());
      sum.add(piece);
    }
    CHECK(sum.hold == part.hold);
    CHECK(sum.job.ideal == part.job.ideal);
    for (std::uint32_t r = 0; r < kResources; ++r) CHECK(sum.job.bytes[r] == Approx(part.job.bytes[r]));
  }
}

}  // namespace
}  // namespace a3sim
