#include <fmt/format.h>

#include <numeric>

#include "sim/core/error.h"
#include "sim/experiment/micro_batches.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/evaluation.h"
#include "sim/study/published/simplest_formula.h"

namespace a3sim {
namespace {

constexpr double kFlops = 2;  // a product and a sum

// A measurement that a table takes, and the experiment that describes the machine.
struct MeasuredKernel {
  const PublishedKernel& kernel;
  const Experiment& experiment;
  double part_of_peak;  // in the simplest formula
  std::int64_t number(const char* key) const { return kernel.numbers.at(key); }
  std::uint32_t count(const char* key) const { return static_cast<std::uint32_t>(number(key)); }
};

// Work done in a time, simulated and by the simplest formula.
struct Amount {
  double amount;
  Duration simulated, formula;
};

Amount run_program(double amount, const StreamProgram& program, const MeasuredKernel& measured) {
  const Experiment& experiment = measured.experiment;
  std::vector<std::uint32_t> dies(program.ranks);
  std::iota(dies.begin(), dies.end(), 0U);
  const NetworkBackend& native = Registry<NetworkBackend>::get("native");
  const SerialRoofline formula = serial_roofline(program, experiment.hardware, experiment.program, dies,
                                                 measured.part_of_peak, [](std::uint32_t) { return true; });
  return {amount, run_streams(program, experiment.hardware, dies, native).makespan, formula.total()};
}

double flops(const MeasuredKernel& measured) {
  return kFlops * static_cast<double>(measured.number("m")) * static_cast<double>(measured.number("n")) *
         static_cast<double>(measured.number("k"));
}

// Measures a product as a kernel of all workers, tile by tile through the L2.
Amount product(const MeasuredKernel& measured) {
  const Experiment& experiment = measured.experiment;
  const PassResult pass = run_experiment(experiment, false).front();
  const SerialRoofline formula = serial_roofline(pass.schedule, routing_of(experiment), experiment.hardware,
                                                 experiment.program, experiment.run, measured.part_of_peak);
  return {flops(measured), pass.run.makespan, formula.total()};
}

Amount sustained_product(const MeasuredKernel& measured) {
  Experiment experiment = measured.experiment;
  experiment.hardware = sustained(experiment.hardware);
  return product({measured.kernel, experiment, measured.part_of_peak});
}

// Measures products of many experts with the same rows, as one call per expert or one kernel.
Amount grouped(const MeasuredKernel& measured, bool one_kernel) {
  const Experiment& experiment = measured.experiment;
  const std::uint32_t experts = measured.count("experts"), calls = one_kernel ? 1 : experts;
  KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  const std::vector<std::uint32_t> rows(experts / calls, measured.count("m"));
  StreamProgram program{1, {{"SM", experiment.hardware.workers.count(CoreUnit::kMatrix)}}, {}, {}};
  for (std::uint32_t call = 0; call < calls; ++call) {
    StreamTask task{.name = "products", .wait = experiment.program.launch.queued};
    task.units = experiment.hardware.workers.count(CoreUnit::kMatrix);
    task.job = cost.products(rows, measured.count("n"), measured.count("k"), task.units);
    task.macs = flops(measured) / kFlops * static_cast<double>(rows.size());
    program.add(std::move(task));
  }
  return run_program(experts * flops(measured), program, measured);
}
Amount products_by_calls(const MeasuredKernel& measured) { return grouped(measured, false); }
Amount products_in_one_kernel(const MeasuredKernel& measured) { return grouped(measured, true); }

// Measures a copy between two devices, from its start on the engine.
Amount copy(const MeasuredKernel& measured) {
  const Hardware::CopyEngine& engine = *measured.experiment.hardware.copy_engine;
  StreamProgram program{2, {{"copy engine", engine.count}}, {}, {}};
  StreamTask task{.name = "copy", .units = 1, .hold = engine.startup};
  task.transfers = {{RankId{1}, Bytes{measured.number("bytes")}, engine.rate}};
  program.add(std::move(task));
  return run_program(static_cast<double>(measured.number("bytes")), program, measured);
}

// Measures an all-to-all of ranks that each send so many bytes, including their own part.
Amount all_to_all(const MeasuredKernel& measured) {
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
  return run_program(static_cast<double>(bytes) * (ranks - 1) / ranks, program, measured);
}

// Measures a local copy; counts the bytes that it reads and writes.
Amount local_copy(const MeasuredKernel& measured) {
  const Experiment& experiment = measured.experiment;
  const auto bytes = static_cast<double>(measured.number("bytes"));
  StreamProgram program{1, {{"SM", experiment.hardware.workers.count(CoreUnit::kVector)}}, {}, {}};
  StreamTask task{.name = "copy", .units = experiment.hardware.workers.count(CoreUnit::kVector)};
  task.job = KernelCost(experiment.hardware, experiment.program, experiment.cut.tiling)
                 .vector({bytes, bytes, {}}, task.units);
  program.add(std::move(task));
  return run_program(2 * bytes, program, measured);
}

// Measures the longest call by a rank in the forward pass of the experiment's first micro-batch.
Amount exchange(const MeasuredKernel& measured, const char* name) {
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
  const SerialRoofline formula = serial_roofline(
      pass.program, experiment.hardware, experiment.program, dies_of(experiment.run.ranks),
      measured.part_of_peak, [&](std::uint32_t task) { return pass.program.tasks[task].name == name; });
  return {1, longest, formula.total()};
}
Amount dispatch(const MeasuredKernel& measured) { return exchange(measured, KernelName::kDispatch); }
Amount combine(const MeasuredKernel& measured) { return exchange(measured, KernelName::kCombine); }

// A kind of measurement.
struct KernelKind {
  std::string_view name;
  Amount (*measure)(const MeasuredKernel&);
  std::vector<std::string_view> numbers;  // that it needs
  std::string_view below = {};            // key of the experiment below which they are set; empty: none
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

// Predicts single kernels, copies and exchanges on the machine of an experiment.
Predictions run_kernels(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  const SimplestFormula formula = SimplestFormula::read(scenario.configs);
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    const KernelKind& kind = kind_of(table, kernel);
    std::vector<std::string> overrides = kernel.overrides;
    for (const std::string_view number : kind.numbers)
      if (!kind.below.empty())
        overrides.push_back(fmt::format("{}.{}={}", kind.below, number, kernel.numbers.find(number)->second));
    const Experiment experiment = scenario.load(kernel.experiment, overrides);
    const Amount came = kind.measure({kernel, experiment, formula.part_of_peak(experiment.hardware)});
    const auto value = [&](Duration time) {
      const double of_run =
          kernel.metric == "latency" ? static_cast<double>(time.count()) : came.amount / seconds(time);
      return in_unit(kernel.metric, kernel.unit, of_run);
    };
    Point& point = result.points.emplace_back(Point{kernel.coordinates, kernel.metric, kernel.unit,
                                                    value(came.simulated), experiment.hardware.name});
    point.formula = value(came.formula);
  }
  return result;
}

A3SIM_REGISTER(Evaluation, "single kernels", "kernels, copies and exchanges on the machine of an experiment",
               Evaluation{run_kernels, read_kernels});

}  // namespace
}  // namespace a3sim
