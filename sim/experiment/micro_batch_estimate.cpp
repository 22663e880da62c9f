#include "sim/experiment/micro_batch_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sim/core/machine_memory.h"
#include "sim/experiment/micro_batches.h"

namespace a3sim {
namespace {

// Returns the seconds that the first micro-batches of a seed take.
double seconds_of_first(const Experiment& experiment, Batches batches, std::size_t count) {
  batches.counts.resize(std::min(count, batches.counts.size()));
  const auto start = std::chrono::steady_clock::now();
  run_micro_batches(experiment, batches);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

RunEstimate estimate_of_batches(const Experiment& experiment, unsigned threads) {
  const MicroBatchOptions& options = *experiment.work->micro_batches();
  const auto start = std::chrono::steady_clock::now();
  const Bytes before = peak_memory();
  const Batches batches = draw_batches(experiment, 0);
  const double drawn = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double one = seconds_of_first(experiment, batches, 1);
  const double two = seconds_of_first(experiment, batches, 2);
  const Bytes after = peak_memory();
  const double more = std::max(two - one, 0.0), of_seed = drawn + one + more * (options.micro_batches - 1);
  const std::uint32_t at_once = std::clamp(threads, 1U, options.seeds);
  const std::uint32_t rounds = (options.seeds + at_once - 1) / at_once;
  return {fmt::format("{} micro-batches", std::uint64_t{options.seeds} * options.micro_batches),
          of_seed * rounds,
          static_cast<double>(before.count) + static_cast<double>((after - before).count) * at_once};
}

}  // namespace a3sim
