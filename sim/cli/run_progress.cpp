#include "sim/cli/run_progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "sim/core/error.h"
#include "sim/experiment/order_file.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kManyRanks = 32;
constexpr const char* kAlike = "experiment.simulate=alike";

// Returns the same experiment with a few ranks that represent all, or nullopt if this is not possible.
std::optional<Experiment> with_few_ranks(const ConfigOption& config) {
  ConfigOption few = config;
  few.set.emplace_back(kAlike);
  try {
    return few.order.empty() ? load_experiment(few.file, few.set)
                             : load_with_order(few.file, few.order, few.set);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

RunProgress::RunProgress(std::size_t ranks)
    : ranks_(ranks), thread_([this](const std::stop_token& stop) { show(stop); }) {}

void RunProgress::show(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kBetween(500);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    line_.reach(ranks_);
    ended_.wait_for(lock, stop, kBetween, [] { return false; });
  }
}

std::size_t simulated_ranks(const Experiment& experiment) {
  return experiment.kept == 0 ? experiment.shape.ep : experiment.kept;
}

void warn_of_many_ranks(const ConfigOption& config, const Experiment& experiment) {
  if (!experiment.work->why_no_schedule_run().empty() || experiment.kept != 0 ||
      experiment.shape.ep <= kManyRanks)
    return;
  const std::optional<Experiment> few = with_few_ranks(config);
  if (!few || few->kept == 0) return;
  spdlog::warn("all {} ranks are simulated; --set {} simulates {}, which stand for all", experiment.shape.ep,
               kAlike, few->kept);
}

}  // namespace a3sim
