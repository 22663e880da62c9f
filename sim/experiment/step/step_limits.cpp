#include "sim/experiment/step/step_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/step/step_estimate.h"

namespace a3sim {
namespace {

// The longest run and the longest task, in seconds; the engine refuses more.
constexpr double kLongestRun = 10'000, kLongestTask = 1'000;
// Nothing runs faster than at the peak, and hardly anything slower than at a twentieth of it.
constexpr double kSlower = 20;
constexpr std::uint64_t kUsualSequence = 4096;

[[noreturn]] void refuse_step(const Experiment& experiment, const char* key, const std::string& why) {
  Diagnostics diagnostics;
  Config::from(*experiment.tree, {}, diagnostics).map("step").error(key, why);
  diagnostics.throw_if_any();
  throw InputError(fmt::format("step.{}: {}", key, why));
}

double peak_of(const Hardware& hardware) {
  return 2.0 * hardware.cube.macs_per_cycle_16 * hardware.workers.count(CoreUnit::kMatrix) *
         static_cast<double>(hardware.clock.count);
}

// Returns what one micro-batch takes on a die at the peak of its cubes, in all layers.
double least_for_micro_batch(const Experiment& experiment, const ModelShape& model, const StepOptions& step) {
  const double tokens = static_cast<double>(step.micro_batch) * static_cast<double>(step.sequence);
  return tokens * model_flops(model, step.block_layout()) /
         (step.tp * step.cp * peak_of(experiment.hardware));
}

// Returns the largest power of two below `value`, or 1, of which `fits` is true.
std::uint64_t largest_fit(std::uint64_t value, const std::function<bool(std::uint64_t)>& fits) {
  std::uint64_t size = std::bit_floor(value);
  do {
    size = std::max<std::uint64_t>(size / 2, 1);
  } while (size > 1 && !fits(size));
  return size;
}

}  // namespace

std::string over_program_memory(const TrainingPlan& plan) {
  const auto bytes = [&](std::uint64_t batch) {
    TrainingPlan smaller = plan;
    smaller.step.global_batch = batch;
    return estimate_of_step(smaller).bytes;
  };
  const auto memory = static_cast<double>(memory_of_machine().count);
  if (bytes(plan.step.global_batch) <= memory) return "";
  const std::uint64_t together = plan.step.micro_batch * plan.step.dp;
  const std::uint64_t fits = largest_fit(
      plan.step.micro_batches(), [&](std::uint64_t count) { return bytes(count * together) <= memory; });
  return fmt::format(
      "{} samples are {} micro-batches through {} layers, whose program takes about {:.1f} GB of the {:.1f} "
      "of this "
      "machine: expected at most {}",
      plan.step.global_batch, plan.step.micro_batches(), plan.model.layers.size(),
      bytes(plan.step.global_batch) / 1e9, memory / 1e9, fits * together);
}

void rethrow_at_size(const Experiment& experiment, const TrainingPlan& plan) {
  const StepOptions& step = plan.step;
  // A run is too long by its micro-batches, a task by what is in one of them.
  const auto fits = [&](const StepOptions& with) {
    const double least = kSlower * least_for_micro_batch(experiment, plan.model, with);
    return least * with.micro_batches() / with.pp <= kLongestRun &&
           least / static_cast<double>(plan.model.layers.size()) <= kLongestTask;
  };
  StepOptions usual = step;
  usual.micro_batch = 1;
  usual.sequence = std::min(step.sequence, kUsualSequence);
  usual.global_batch = step.dp;
  if (fits(step) || !fits(usual)) throw;  // a rate is to blame, not a size
  const auto with_sequence = [&](std::uint64_t tokens) {
    StepOptions with = step;
    with.sequence = tokens;
    return with;
  };
  const auto with_micro_batch = [&](std::uint64_t samples) {
    StepOptions with = step;
    with.micro_batch = samples;
    return with;
  };
  const double batches = step.micro_batches();
  const double now = least_for_micro_batch(experiment, plan.model, step);
  const double by_sequence =
      now /
      least_for_micro_batch(experiment, plan.model, with_sequence(std::min(step.sequence, kUsualSequence)));
  const std::string least = fmt::format(
      "a step's products take {:.3g} s at a die's peak, and a run may take {:.0f} s, a task {:.0f}",
      now * batches / step.pp, kLongestRun, kLongestTask);
  if (by_sequence >= std::max(batches, static_cast<double>(step.micro_batch))) {
    const std::uint64_t fit =
        largest_fit(step.sequence, [&](std::uint64_t n) { return fits(with_sequence(n)); });
    refuse_step(experiment, "sequence",
                fmt::format("{} tokens: {}: expected at most about {}", step.sequence, least, fit));
  }
  if (static_cast<double>(step.micro_batch) >= batches) {
    const std::uint64_t fit =
        largest_fit(step.micro_batch, [&](std::uint64_t n) { return fits(with_micro_batch(n)); });
    refuse_step(experiment, "micro_batch",
                fmt::format("{} samples: {}: expected at most about {}", step.micro_batch, least, fit));
  }
  const auto count = static_cast<std::uint64_t>(kLongestRun * step.pp / (kSlower * now));
  refuse_step(experiment, "global_batch",
              fmt::format("{} samples: {}: expected at most about {}", step.global_batch, least,
                          std::max<std::uint64_t>(count, 1) * step.micro_batch * step.dp));
}

}  // namespace a3sim
