#include "sim/experiment/streams/micro_batch_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sim/core/machine_memory.h"
#include "sim/experiment/streams/first_draw.h"
#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

RunEstimate estimate_of_batches(const Experiment& experiment, unsigned threads) {
  const MicroBatchOptions& options = *experiment.work->micro_batches();
  const Bytes before = peak_memory();
  Batches batches;
  const double first_drawn = seconds_of([&] { batches = draw_first_batch(experiment); });
  const auto history = static_cast<double>(batches.before.size());
  const auto run = [&] { run_micro_batches(experiment, batches); };
  const double one = seconds_of(run);
  batches.counts.push_back(batches.counts.front());
  const double more = std::max(seconds_of(run) - one, 0.0);
  const Bytes after = peak_memory();
  const double drawn = first_drawn / (history + 1) * (history + options.micro_batches);
  const double of_seed = drawn + one + more * (options.micro_batches - 1);
  const std::uint32_t at_once = std::clamp(threads, 1U, options.seeds);
  const std::uint32_t rounds = (options.seeds + at_once - 1) / at_once;
  return {fmt::format("{} micro-batches", std::uint64_t{options.seeds} * options.micro_batches),
          of_seed * rounds,
          static_cast<double>(before.count) + static_cast<double>((after - before).count) * at_once};
}

}  // namespace a3sim
