#include <fmt/format.h>

#include <numeric>

#include "sim/experiment/micro_batches.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMachine = "include=../hardware/h100_node.yaml";
constexpr double kFlops = 2;  // a product

// TFLOPS of a product, as a kernel of all SMs, tile by tile through the L2.
double tflops(const Scenario& scenario, std::uint32_t m, std::uint32_t n, std::uint32_t k, bool for_long) {
  Experiment experiment =
      scenario.load("gemm", {kMachine, fmt::format("gemm.m={}", m), fmt::format("gemm.n={}", n),
                             fmt::format("gemm.k={}", k), "experiment.launch=queued"});
  if (for_long) experiment.hardware = sustained(experiment.hardware);
  return kFlops * m * n * k / seconds(run_experiment(experiment, false).front().run.makespan) * 1e-12;
}

double seconds_of(const StreamProgram& program, const Experiment& experiment) {
  std::vector<std::uint32_t> dies(program.ranks);
  std::iota(dies.begin(), dies.end(), 0U);
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  return seconds(run_streams(program, experiment.hardware, dies, native).makespan);
}

// Products of 128 experts with 512 rows each: one call an expert, or one kernel.
double grouped(const Experiment& experiment, bool one_kernel) {
  constexpr std::uint32_t kExperts = 128, kRows = 512, kK = 2048, kN = 1536;
  KernelCost cost(experiment.hardware, experiment.cut.tiling);
  const std::vector<std::uint32_t> rows(one_kernel ? kExperts : 1, kRows);
  StreamProgram program{1, {{"SM", experiment.hardware.workers.count(CoreUnit::kMatrix)}}, {}};
  for (std::uint32_t call = 0; call < (one_kernel ? 1 : kExperts); ++call) {
    StreamTask task{.name = "products", .wait = experiment.hardware.runtime.queued_launch};
    task.units = experiment.hardware.workers.count(CoreUnit::kMatrix);
    task.job = cost.products(rows, kN, kK, task.units);
    program.add(std::move(task));
  }
  return kFlops * kExperts * kRows * kN * kK / seconds_of(program, experiment) * 1e-12;
}

// GB/s of one copy between two devices, from its start on the engine.
double copied(const Experiment& experiment, std::int64_t bytes) {
  const StreamHardware::CopyEngine& engine = experiment.hardware.streams->copy_engine;
  StreamProgram program{2, {{"copy engine", engine.count}}, {}};
  StreamTask task{.name = "copy", .units = 1, .hold = engine.startup};
  task.transfers = {{RankId{1}, Bytes{bytes}, engine.rate}};
  program.add(std::move(task));
  return static_cast<double>(bytes) / seconds_of(program, experiment) * 1e-9;
}

// GB/s of an all-to-all of four that each send so many bytes, their own part among them.
double all_to_all(const Experiment& experiment, std::int64_t bytes) {
  constexpr std::uint32_t kRanks = 4;
  const Hardware::Collective& spec = experiment.hardware.collective;
  StreamProgram program{kRanks, {{"SM", experiment.hardware.workers.count(CoreUnit::kMatrix)}}, {}};
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    StreamTask task{.name = "all-to-all", .rank = RankId{r}};
    task.hold = spec.fixed + spec.per_peer * (kRanks - 1);
    for (std::uint32_t dst = 0; dst < kRanks; ++dst) {
      if (dst != r) task.transfers.push_back({RankId{dst}, Bytes{bytes / kRanks}, spec.rate});
    }
    program.add(std::move(task));
  }
  return static_cast<double>(bytes) * (kRanks - 1) / kRanks / seconds_of(program, experiment) * 1e-9;
}

// Both terabytes that a local copy reads and writes a second.
double local_copy(const Experiment& experiment) {
  constexpr double kBytes = 1e9;
  StreamProgram program{1, {{"SM", experiment.hardware.workers.count(CoreUnit::kVector)}}, {}};
  StreamTask task{.name = "copy", .units = experiment.hardware.workers.count(CoreUnit::kVector)};
  task.job = KernelCost(experiment.hardware, experiment.cut.tiling).vector({kBytes, kBytes, {}}, task.units);
  program.add(std::move(task));
  return 2 * kBytes / seconds_of(program, experiment) * 1e-12;
}

// Dispatch or combine of the published benchmark: 4096 tokens of 7168, 8 of 256 experts, 8 ranks.
double exchanged(const Scenario& scenario, const char* name) {
  const Experiment experiment =
      scenario.load("feplb_ep8", {"model.tokens=4096", "model.hidden=7168", "model.experts=256",
                                  "routing.sigma=0", "experiment.method=none"});
  const Batches batches = draw_batches(experiment, 0);
  const LoadHistory history(experiment.shape.experts());
  const MicroBatch batch(batches.counts.front(), history);
  KernelCost cost(experiment.hardware, experiment.cut.tiling);
  const StreamPass pass = run_stream_pass(experiment, *plan_of(experiment, batch, cost), cost, true);
  Duration longest{};
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    if (pass.program.tasks[t].name == name)
      longest = std::max(longest, pass.result.records[t].end - pass.result.records[t].start);
  }
  return milliseconds(longest);
}

// Single kernels, copies and collectives on a node of H100s.
Predictions run_h100(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  const auto add = [&](const char* what, const char* size, const char* metric, const char* unit,
                       const auto& value) {
    const Json coordinates{{"what", what}, {"size", size}};
    if (wanted.has(coordinates)) result.points.push_back({coordinates, metric, unit, value(), "h100_node"});
  };
  const Experiment node = scenario.load("feplb_ep8");
  constexpr std::int64_t kMega = 1'000'000, kGiga = 1'000'000'000;
  add("product", "4224 x 2048 x 8192", "tflops", "TFLOPS",
      [&] { return tflops(scenario, 4224, 2048, 8192, false); });
  add("product, for long", "8192 x 8192 x 8192", "tflops", "TFLOPS",
      [&] { return tflops(scenario, 8192, 8192, 8192, true); });
  add("128 products, a call each", "512 x 1536 x 2048", "tflops", "TFLOPS",
      [&] { return grouped(node, false); });
  add("128 products, one kernel", "512 x 1536 x 2048", "tflops", "TFLOPS",
      [&] { return grouped(node, true); });
  add("local copy, read and written", "1 GB", "bandwidth", "TB/s", [&] { return local_copy(node); });
  add("copy to a peer", "32 MB", "bandwidth", "GB/s", [&] { return copied(node, 32 * kMega); });
  add("copy to a peer", "1 GB", "bandwidth", "GB/s", [&] { return copied(node, kGiga); });
  add("all-to-all of 4", "32 MB", "bandwidth", "GB/s", [&] { return all_to_all(node, 32 * kMega); });
  add("all-to-all of 4", "4 GB", "bandwidth", "GB/s", [&] { return all_to_all(node, 4 * kGiga); });
  add("dispatch of 8", "4096 tokens of 7168", "latency", "ms",
      [&] { return exchanged(scenario, KernelName::kDispatch); });
  add("combine of 8", "4096 tokens of 7168", "latency", "ms",
      [&] { return exchanged(scenario, KernelName::kCombine); });
  return result;
}

A3SIM_REGISTER(Evaluation, "h100", "single kernels, copies and collectives on a node of H100s",
               Evaluation{run_h100});

}  // namespace
}  // namespace a3sim
