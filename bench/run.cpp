// Measures one run of the paper's shape from compiled graph to latency, part by part, on one core.
#include "sim/runtime/run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/network/network.h"

namespace {

using namespace a3sim;

constexpr int kRepeats = 7;

// Returns processor time, which other programs do not change.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Parts {
  double load = 0, compile = 0, run = 0, bounds = 0;
  std::uint64_t tasks = 0, events = 0;
  double whole() const { return load + compile + run + bounds; }
};

Parts once(std::uint32_t ep) {
  Parts parts;
  double start = now();
  const auto lap = [&start] {
    const double end = now();
    return end - std::exchange(start, end);
  };
  const std::vector<std::string> set{fmt::format("parallel.ep={}", ep)};
  const Experiment experiment = load_experiment(configs_folder() / "experiments/ep16.yaml", set);
  const RoutingCounts counts = routing_of(experiment);
  const NetworkBackend& backend = Registry<NetworkBackend>::get(experiment.network);
  parts.load = lap();
  for (const Pass& pass : experiment.passes) {
    const Schedule schedule = compile_pass(experiment, pass, counts).schedule;
    parts.compile += lap();
    const RunResult result = run_schedule(schedule, counts, experiment.hardware, experiment.program, backend,
                                          options_of(experiment, true));
    parts.run += lap();
    lower_bounds(schedule, counts, experiment.hardware, experiment.program, options_of(experiment, true));
    parts.bounds += lap();
    for (const RankResult& rank : result.ranks) parts.tasks += rank.tasks;
    parts.events += result.events;
  }
  return parts;
}

}  // namespace

int main() {
  fmt::print("forward + backward, processor time, the best of {} runs\n", kRepeats);
  fmt::print("{:>4} {:>8} {:>8} {:>8} {:>10} {:>8} {:>9} {:>9} {:>10} {:>10}\n", "EP", "whole ms", "load ms",
             "compile", "run ms", "bounds", "tasks", "events", "tasks/s", "events/s");
  for (const std::uint32_t ep : {4U, 8U, 16U, 32U}) {
    Parts best = once(ep);
    for (int i = 1; i < kRepeats; ++i) {
      const Parts next = once(ep);
      if (next.whole() < best.whole()) best = next;
    }
    fmt::print("{:>4} {:>8.1f} {:>8.1f} {:>8.1f} {:>10.1f} {:>8.1f} {:>9} {:>9} {:>9.2f}M {:>9.2f}M\n", ep,
               best.whole() * 1e3, best.load * 1e3, best.compile * 1e3, best.run * 1e3, best.bounds * 1e3,
               best.tasks, best.events, static_cast<double>(best.tasks) / best.run * 1e-6,
               static_cast<double>(best.events) / best.run * 1e-6);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
