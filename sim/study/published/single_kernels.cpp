#include <fmt/format.h>

#include <numeric>

#include "sim/core/error.h"
#include "sim/experiment/micro_batches.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

constexpr double kFlops = 2;  // a product and a sum

// What a table measures of a machine, and the experiment that describes the machine.
struct MeasuredKernel {
  const PublishedKernel& kernel;
  const Experiment& experiment;
  std::int64_t number(const char* key) const { return kernel.numbers.at(key); }
  std::uint32_t count(const char* key) const { return static_cast<std::uint32_t>(number(key)); }
};

double seconds_of(const StreamProgram& program, const Experiment& experiment) {
  std::vector<std::uint32_t> dies(program.ranks);
  std::iota(dies.begin(), dies.end(), 0U);
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  return seconds(run_streams(program, experiment.hardware, dies, native).makespan);
}

double flops(const MeasuredKernel& measured) {
  return kFlops * static_cast<double>(measured.number("m")) * static_cast<double>(measured.number("n")) *
         static_cast<double>(measured.number("k"));
}

// A product as a kernel of all workers, tile by tile through the L2.
double product(const MeasuredKernel& measured) {
  return flops(measured) / seconds(run_experiment(measured.experiment, false).front().run.makespan);
}

double sustained_product(const MeasuredKernel& measured) {
  Experiment experiment = measured.experiment;
  experiment.hardware = sustained(experiment.hardware);
  return flops(measured) / seconds(run_experiment(experiment, false).front().run.makespan);
}

// Products of many experts that have the same rows: one call an expert, or one kernel.
double grouped(const MeasuredKernel& measured, bool one_kernel) {
  const Experiment& experiment = measured.experiment;
  const std::uint32_t experts = measured.count("experts"), calls = one_kernel ? 1 : experts;
  KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  const std::vector<std::uint32_t> rows(experts / calls, measured.count("m"));
  StreamProgram program{1, {{"SM", experiment.hardware.workers.count(CoreUnit::kMatrix)}}, {}, {}};
  for (std::uint32_t call = 0; call < calls; ++call) {
    StreamTask task{.name = "products", .wait = experiment.program.launch.queued};
    task.units = experiment.hardware.workers.count(CoreUnit::kMatrix);
    task.job = cost.products(rows, measured.count("n"), measured.count("k"), task.units);
    program.add(std::move(task));
  }
  return experts * flops(measured) / seconds_of(program, experiment);
}
double products_by_calls(const MeasuredKernel& measured) { return grouped(measured, false); }
double products_in_one_kernel(const MeasuredKernel& measured) { return grouped(measured, true); }

// A copy between two devices, from its start on the engine.
double copy(const MeasuredKernel& measured) {
  const Hardware::CopyEngine& engine = *measured.experiment.hardware.copy_engine;
  StreamProgram program{2, {{"copy engine", engine.count}}, {}, {}};
  StreamTask task{.name = "copy", .units = 1, .hold = engine.startup};
  task.transfers = {{RankId{1}, Bytes{measured.number("bytes")}, engine.rate}};
  program.add(std::move(task));
  return static_cast<double>(measured.number("bytes")) / seconds_of(program, measured.experiment);
}

// An all-to-all of ranks that each send so many bytes, their own part among them.
double all_to_all(const MeasuredKernel& measured) {
  const std::uint32_t ranks = measured.count("ranks");
  const std::int64_t bytes = measured.number("bytes");
  const Program::Collective& spec = measured.experiment.program.collective;
  StreamProgram program{
      ranks, {{"SM", measured.experiment.hardware.workers.count(CoreUnit::kMatrix)}}, {}, {}};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    StreamTask task{.name = "all-to-all", .rank = RankId{r}};
    task.hold = spec.fixed + spec.per_peer * (ranks - 1);
    for (std::uint32_t dst = 0; dst < ranks; ++dst) {
      if (dst != r) task.transfers.push_back({RankId{dst}, Bytes{bytes / ranks}, spec.rate});
    }
    program.add(std::move(task));
  }
  return static_cast<double>(bytes) * (ranks - 1) / ranks / seconds_of(program, measured.experiment);
}

// Bytes that a local copy reads and writes, together.
double local_copy(const MeasuredKernel& measured) {
  const Experiment& experiment = measured.experiment;
  const auto bytes = static_cast<double>(measured.number("bytes"));
  StreamProgram program{1, {{"SM", experiment.hardware.workers.count(CoreUnit::kVector)}}, {}, {}};
  StreamTask task{.name = "copy", .units = experiment.hardware.workers.count(CoreUnit::kVector)};
  task.job = KernelCost(experiment.hardware, experiment.program, experiment.cut.tiling)
                 .vector({bytes, bytes, {}}, task.units);
  program.add(std::move(task));
  return 2 * bytes / seconds_of(program, experiment);
}

// The longest call by a rank in the forward pass of the experiment's first micro-batch, in ps.
double exchange(const MeasuredKernel& measured, const char* name) {
  const Experiment& experiment = measured.experiment;
  const Batches batches = draw_batches(experiment, 0);
  const LoadHistory history(experiment.shape.experts());
  const MicroBatch batch(batches.counts.front(), history);
  KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  const StreamPass pass = run_stream_pass(experiment, *plan_of(experiment, batch, cost), cost, true);
  Duration longest{};
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    if (pass.program.tasks[t].name == name)
      longest = std::max(longest, pass.result.records[t].end - pass.result.records[t].start);
  }
  return static_cast<double>(longest.count());
}
double dispatch(const MeasuredKernel& measured) { return exchange(measured, KernelName::kDispatch); }
double combine(const MeasuredKernel& measured) { return exchange(measured, KernelName::kCombine); }

// A kind of measurement: operations or bytes a second, or ps.
struct KernelKind {
  std::string_view name;
  double (*measure)(const MeasuredKernel&);
  std::vector<std::string_view> numbers;  // that it needs
  std::string_view below = {};            // the experiment's key that they are set below; empty: none
};

const std::vector<KernelKind>& kinds() {
  static const std::vector<KernelKind> kKinds{
      {"product", product, {"m", "n", "k"}, "gemm"},
      {"sustained product", sustained_product, {"m", "n", "k"}, "gemm"},
      {"products by calls", products_by_calls, {"experts", "m", "n", "k"}},
      {"products in one kernel", products_in_one_kernel, {"experts", "m", "n", "k"}},
      {"local copy", local_copy, {"bytes"}},
      {"copy", copy, {"bytes"}},
      {"all-to-all", all_to_all, {"ranks", "bytes"}},
      {"dispatch", dispatch, {}},
      {"combine", combine, {}}};
  return kKinds;
}

const KernelKind& kind_of(const PublishedTable& table, const PublishedKernel& kernel) {
  const auto known = std::ranges::find(kinds(), kernel.measure, &KernelKind::name);
  std::vector<std::string_view> names;
  for (const KernelKind& kind : kinds()) names.push_back(kind.name);
  if (known == kinds().end())
    throw InputError(fmt::format("{}: kernels: unknown measure '{}'; known: {}", table.name, kernel.measure,
                                 fmt::join(names, ", ")));
  for (const std::string_view number : known->numbers)
    if (!kernel.numbers.contains(number))
      throw InputError(fmt::format("{}: kernels: '{}' needs {}", table.name, kernel.measure,
                                   fmt::join(known->numbers, ", ")));
  return *known;
}

// Single kernels, copies and exchanges on the machine of an experiment.
Predictions run_kernels(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    const KernelKind& kind = kind_of(table, kernel);
    std::vector<std::string> overrides = kernel.overrides;
    for (const std::string_view number : kind.numbers)
      if (!kind.below.empty())
        overrides.push_back(fmt::format("{}.{}={}", kind.below, number, kernel.numbers.find(number)->second));
    const Experiment experiment = scenario.load(kernel.experiment, overrides);
    result.points.push_back({kernel.coordinates, kernel.metric, kernel.unit,
                             in_unit(kernel.metric, kernel.unit, kind.measure({kernel, experiment})),
                             experiment.hardware.name});
  }
  return result;
}

A3SIM_REGISTER(Evaluation, "single kernels", "kernels, copies and exchanges on the machine of an experiment",
               Evaluation{run_kernels});

}  // namespace
}  // namespace a3sim
