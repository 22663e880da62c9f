#include "sim/cli/run_progress.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/core/size_error.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/config/stated_numbers.h"
#include "sim/experiment/run/run_estimate.h"

namespace a3sim {
namespace {

constexpr double kWorthAWord = 2;  // seconds
constexpr const char* kAlike = "experiment.simulate=alike";

// Throws InputSizeError for a run that needs more memory than the machine has, with what needs less. `few` is the experiment
// with few ranks, if these can represent all.
void refuse_estimate(const RunEstimate& estimate, const Experiment& experiment,
                     const std::optional<Experiment>& few) {
  const auto machine = static_cast<double>(memory_of_machine().count);
  if (estimate.bytes <= machine) return;
  std::string remedy = "take a smaller group, fewer experts, partitions or shares, or larger chunks";
  if (few)
    remedy = fmt::format("--set {} takes {}", kAlike, estimate_of(*few, false).text());
  else if (experiment.representatives == 0)
    remedy += fmt::format("; ranks are not alike here, so --set {} does not serve", kAlike);
  throw InputSizeError(
      fmt::format("{}, and this machine has {:.1f} GB: {}", estimate.text(), machine * 1e-9, remedy));
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
  return experiment.representatives == 0 ? experiment.shape.ep : experiment.representatives;
}

std::optional<Experiment> with_few_ranks(const ConfigOption& config, const Experiment& experiment) {
  if (experiment.representatives != 0 || !experiment.work->why_no_schedule_run().empty()) return std::nullopt;
  ConfigOption few = config;
  few.set.emplace_back(kAlike);
  try {
    Experiment alike = few.order.empty() ? load_experiment(few.file, few.set)
                                         : load_with_order(few.file, few.order, few.set);
    return alike.representatives != 0 ? std::optional(std::move(alike)) : std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;  // the ranks are not alike
  }
}

void refuse_beyond_memory(const Experiment& experiment) {
  const RunEstimate estimate = experiment.work->estimate(experiment, false);
  std::optional<Experiment> few;
  try {
    const std::vector<std::string> alike{kAlike};
    if (estimate.bytes > static_cast<double>(memory_of_machine().count)) few = experiment.with(alike);
  } catch (const InputError&) {
    few.reset();  // the ranks are not alike
  }
  name_stated_numbers(experiment, [&] { refuse_estimate(estimate, experiment, few); });
}

void announce(const RunEstimate& estimate, const std::string& shorter) {
  if (estimate.seconds > kWorthAWord) spdlog::warn("{}{}", estimate.text(), shorter);
}

void announce_run(const ConfigOption& config, const Experiment& experiment, std::uint32_t steps,
                  bool recorded) {
  RunEstimate estimate = experiment.work->estimate(experiment, recorded);
  estimate.seconds *= steps;
  if (estimate.seconds <= kWorthAWord) return;
  if (steps > 1) estimate.what = fmt::format("{} steps of {}", steps, estimate.what);
  const std::optional<Experiment> few = steps == 1 ? with_few_ranks(config, experiment) : std::nullopt;
  name_stated_numbers(experiment, [&] { refuse_estimate(estimate, experiment, few); });
  announce(estimate, few ? fmt::format("; with --set {} {}", kAlike, estimate_of(*few, recorded).text())
                         : std::string());
}

}  // namespace a3sim
