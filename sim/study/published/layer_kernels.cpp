#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/whole_time.h"
#include "sim/device/block_cost.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/evaluation.h"
#include "sim/study/published/kernels/layer_kernel.h"
#include "sim/study/published/simplest_formula.h"

namespace a3sim {
namespace {

Duration of_picoseconds(double time) { return Duration(whole_picoseconds(time)); }

// Computes the simplest formula: the longer of products at the stated share of the peak and of bytes at the
// HBM's rates, plus one launch.
Duration by_hand(const KernelWork& work, const Experiment& experiment, double part_of_peak) {
  const Hardware& hardware = experiment.hardware;
  const double peak = 2.0 * hardware.cube.macs_per_cycle_16 * hardware.workers.count(CoreUnit::kMatrix) *
                      static_cast<double>(hardware.clock.count) * hardware.cube.speed * part_of_peak;
  const double bytes = hardware.memory.as_reads(work.read, work.written);
  const double moved = bytes / static_cast<double>(hardware.memory.hbm_read.count);
  return experiment.program.launch.queued + of_picoseconds(std::max(work.flops / peak, moved) * 1e12);
}

// Returns the measured amount of a kernel, in ps or FLOPS.
double measured_amount(const PublishedKernel& kernel, const KernelWork& work, Duration time) {
  return kernel.metric == "tflops" ? work.flops / seconds(time) : static_cast<double>(time.count());
}

// Predicts kernels of layers on the machine of an experiment, in a long sequence.
Predictions run_layer_kernels(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  const SimplestFormula formula = SimplestFormula::read(scenario.configs);
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    Experiment experiment = scenario.load(kernel.experiment, kernel.overrides);
    experiment.hardware = sustained(experiment.hardware);
    KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
    const KernelWork work =
        LayerKernels::get(kernel.measure).work(KernelCase(kernel.coordinates, kernel.numbers), cost);
    Duration time = work.alone + time_alone(work.job, experiment.hardware) +
                    experiment.program.launch.queued * work.launches;
    Duration hand = by_hand(work, experiment, formula.part_of_peak(experiment.hardware));
    if (const auto each = kernel.numbers.find("operation_ns"); each != kernel.numbers.end())
      time = hand = Duration(each->second * 1000) * work.launches;
    const auto value = [&](Duration time) {
      return in_unit(kernel.metric, kernel.unit, measured_amount(kernel, work, time));
    };
    Point& point = result.points.emplace_back(
        Point{kernel.coordinates, kernel.metric, kernel.unit, value(time), experiment.hardware.name});
    point.formula = value(hand);
  }
  return result;
}

A3SIM_REGISTER(Evaluation, "layer kernels", "kernels of layers on the machine of an experiment",
               Evaluation{run_layer_kernels, read_kernels});

}  // namespace
}  // namespace a3sim
