#include "sim/experiment/step/stage_cables.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/step_bounds.h"
#include "sim/experiment/step/training_step.h"

namespace a3sim {
namespace {

const std::string kStageCablesFile =
    std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/stage_cables_of_test.yaml";

// A dense model on 16 dies whose leaves have 4: gradients go round a ring of all.
constexpr const char* kSixteen =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/cann.yaml, ../orders/naive.yaml]
experiment: {name: sixteen, workload: training_step, execution: kernel}
model:
  name: sixteen
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  layers: [embedding, 2 dense, head]
step: {sequence: 1024, global_batch: 16}
parallel: {dp: 16}
)";

std::vector<std::string> tree(const std::string& oversubscription, std::uint32_t leaves = 8) {
  return {
      "network.topology.hccs.kind=two_level",  "network.topology.hccs.leaves=" + std::to_string(leaves),
      "network.topology.hccs.leaf=4",          "network.topology.hccs.spines=2",
      "network.topology.hccs.rate=122.5 GB/s", "network.topology.hccs.oversubscription=" + oversubscription};
}

Experiment on_tree(const std::string& oversubscription) {
  return parse_experiment(kSixteen, kStageCablesFile, tree(oversubscription));
}

Duration step_time(const std::vector<std::string>& set, double* part = nullptr) {
  const Experiment experiment = parse_experiment(kSixteen, kStageCablesFile, set);
  const StepRun run = run_step(experiment, prepare_step(experiment));
  if (part) *part = run.written.cable_part;
  return run.result.makespan;
}

double seconds_of(const StreamTransfer& transfer) {
  return static_cast<double>(transfer.bytes.count) / static_cast<double>(transfer.rate.count);
}

TEST_CASE(
    "Of an all-to-all, a leaf's uplinks leave what the bisection says; of a ring one die a leaf crosses") {
  const Experiment experiment = on_tree("4");
  const Hardware::Fabric& fabric = experiment.hardware.fabric;
  StageCables cables(experiment.run.cables, fabric, 16);
  constexpr double kPeer = 1 << 20, kUplinks = 4 * 122.5e9 / 4;
  std::vector<StreamTransfer> all = exchange_transfers(fabric, {16, 1}, kPeer, 1, RankId{0});
  cables.limit(0, {16, 1}, StageCables::Exchange::kToAll, all);
  // 4 dies of a leaf send to 12 others each.
  const StreamTransfer& slowest = *std::ranges::max_element(all, {}, seconds_of);
  const double payload = fabric.levels[slowest.level].payload;
  CHECK(seconds_of(slowest) == Approx(4 * 12 * kPeer / payload / kUplinks).epsilon(1e-4));
  CHECK(cables.hold().part < 1);
  CHECK(cables.hold().cable.find("leaf") != std::string::npos);

  StageCables other(experiment.run.cables, fabric, 16);
  std::vector<StreamTransfer> ring = ring_transfers(fabric, {16, 1}, kPeer, RankId{0}), free = ring;
  other.limit(0, {16, 1}, StageCables::Exchange::kRing, ring);
  CHECK(seconds_of(ring.front()) >= seconds_of(free.front()));
}

TEST_CASE(
    "An exchange that a step has many times is limited like the first one, and each adds to the cables' "
    "load") {
  const Experiment experiment = on_tree("4");
  const Hardware::Fabric& fabric = experiment.hardware.fabric;
  StageCables cables(experiment.run.cables, fabric, 16);
  const auto limited = [&](double to_peer) {
    std::vector<StreamTransfer> transfers = exchange_transfers(fabric, {16, 1}, to_peer, 1, RankId{0});
    cables.limit(0, {16, 1}, StageCables::Exchange::kToAll, transfers);
    return std::ranges::max(transfers, {}, seconds_of);
  };
  const StreamTransfer first = limited(1 << 20);
  const double load = seconds(cables.fullest().time);
  CHECK(load == Approx(seconds_of(first)).epsilon(1e-6));
  for (int more = 2; more <= 5; ++more) {
    CHECK(limited(1 << 20).rate == first.rate);
    CHECK(seconds(cables.fullest().time) == Approx(more * load).epsilon(1e-6));
  }
  CHECK(limited(2 << 20).rate.count == Approx(first.rate.count).epsilon(1e-6));
  CHECK(seconds(cables.fullest().time) == Approx(7 * load).epsilon(1e-6));
}

// Two tasks on streams of their own.
StreamProgram two_transfers(const std::vector<StreamTransfer>& first,
                            const std::vector<StreamTransfer>& second, std::uint32_t ranks) {
  StreamProgram program;
  program.ranks = ranks;
  program.kinds = {{"host thread", 1, true}};
  for (const std::uint32_t stream : {0U, 1U}) {
    StreamTask task;
    task.name = "Send";
    task.rank = RankId{ranks > 1 ? stream : 0};
    task.stream = stream;
    task.transfers = stream == 0 ? first : second;
    program.add(std::move(task));
  }
  return program;
}

TEST_CASE("Exchanges of two streams that meet on a cable share it, as those of two stages do") {
  const Experiment experiment = on_tree("16");
  const Hardware& hardware = experiment.hardware;
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  constexpr double kSent = 1 << 26;
  StageCables cables(experiment.run.cables, hardware.fabric, 16);
  std::vector<StreamTransfer> ring = ring_transfers(hardware.fabric, {16, 1}, kSent, RankId{0});
  const std::vector<std::uint32_t> ways = cables.limit(0, {16, 1}, StageCables::Exchange::kRing, ring);
  SharedCables shared;
  shared.of_transfer = {ways, ways};
  cables.share(shared);
  REQUIRE_FALSE(shared.cables.empty());
  const StreamProgram both = two_transfers(ring, ring, 1);
  const std::vector<std::uint32_t> dies{0, 2, 4, 6};
  const double alone = seconds(run_streams(both, hardware, {dies.data(), 1}, native).makespan);
  CHECK(seconds(run_streams(both, hardware, {dies.data(), 1}, native, {.shared = &shared}).makespan) ==
        Approx(2 * alone).epsilon(1e-5));

  // Stages of two dies: the first two lie under one leaf, and send to two under another.
  StageCables stages(experiment.run.cables, hardware.fabric, 2);
  std::vector<StreamTransfer> to_third{{RankId{2}, {1 << 26}, hardware.fabric.planes.front().egress}};
  std::vector<StreamTransfer> to_fourth{{RankId{3}, {1 << 26}, hardware.fabric.planes.front().egress}};
  SharedCables between;
  between.of_transfer = {stages.limit_send(0, 2, to_third), stages.limit_send(1, 3, to_fourth)};
  stages.share(between);
  const StreamProgram sends = two_transfers(to_third, to_fourth, 4);
  const double one = seconds(run_streams(sends, hardware, dies, native).makespan);
  CHECK(seconds(run_streams(sends, hardware, dies, native, {.shared = &between}).makespan) ==
        Approx(2 * one).epsilon(1e-5));
}

TEST_CASE("A tree without oversubscription leaves a step as it is, and a slower one makes it longer") {
  double part = 0;
  const Duration ports = step_time({});
  CHECK(step_time(tree("1"), &part) == ports);
  CHECK(part == 1);
  const Duration slow = step_time(tree("16"), &part);
  CHECK(slow > ports);
  CHECK(part < 1);
  CHECK(step_time(tree("64")) > slow);
}

TEST_CASE("A step's bounds know its busiest port and cable") {
  const auto bounds_on = [](const std::vector<std::string>& set, Duration* makespan = nullptr) {
    const Experiment experiment = parse_experiment(kSixteen, kStageCablesFile, set);
    const PreparedStep prepared = prepare_step(experiment);
    const StepRun run = run_step(experiment, prepared);
    if (makespan) *makespan = run.result.makespan;
    return step_bounds(experiment.hardware, prepared, run.written);
  };
  const auto of = [](const Bounds& bounds, Bound bound) {
    return seconds(bounds.time[static_cast<std::size_t>(bound)]);
  };
  CHECK(of(bounds_on({}), Bound::kCable) == 0);
  CHECK(of(bounds_on({}), Bound::kLink) > 0);
  Duration makespan{};
  const Bounds slow = bounds_on(tree("1000"), &makespan), fast = bounds_on(tree("100"));
  // An uplink of a tenth takes ten times as long, and then binds.
  CHECK(of(slow, Bound::kCable) == Approx(10 * of(fast, Bound::kCable)).epsilon(1e-3));
  CHECK(slow.binding() == Bound::kCable);
  CHECK(slow.cable.find("leaf") != std::string::npos);
  CHECK(makespan >= slow.largest());
  // Gathers and reductions of all parameters wait for it; what else there is to do is short.
  CHECK(seconds(makespan) < 1.3 * seconds(slow.largest()));
}

TEST_CASE("A step on a topology of too few hosts is refused with the hosts that it needs") {
  const Experiment eight = parse_experiment(kSixteen, kStageCablesFile, tree("1", 2));
  CHECK_THROWS_WITH(prepare_step(eight), Catch::Matchers::Contains("8 hosts, and the step lies on 16 dies"));
}

}  // namespace
}  // namespace a3sim
