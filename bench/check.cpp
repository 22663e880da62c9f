// Measures the time and memory of compiling and checking schedules: the paper's shape, forward and backward,
// every rank, pass by pass as `a3sim check` does it, each size in its own process. Sizes are arguments; the
// default is EP 4 to 384.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "scheduler/verify/verify.h"
#include "sim/core/machine_memory.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/compiled.h"

namespace {

using namespace a3sim;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Cost {
  double compiling = 0, checking = 0;  // processor seconds
  std::size_t tasks = 0, bytes = 0, errors = 0;
};

Cost once(std::uint32_t ep) {
  const std::vector<std::string> set{fmt::format("parallel.ep={}", ep)};
  const Experiment experiment = load_experiment(configs_folder() / "experiments/ep384.yaml", set);
  const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
  Cost cost;
  for (const Pass& pass : experiment.passes) {
    const double start = processor_seconds();
    const Schedule schedule = compile_pass(experiment, pass, capacity).schedule;
    const double compiled = processor_seconds();
    cost.errors += verify(schedule).errors.size();
    cost.compiling += compiled - start;
    cost.checking += processor_seconds() - compiled;
    for (const Ssc& ssc : schedule) {
      cost.tasks += ssc.tasks().size();
      cost.bytes += ssc.bytes().size();
    }
  }
  return cost;
}

void measure(std::uint32_t ep) {
  keep_freed_memory();
  Cost best = once(ep);
  for (int i = 0; i < (ep <= 16 ? 5 : 0); ++i) {
    const Cost next = once(ep);
    if (next.compiling + next.checking < best.compiling + best.checking) best = next;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto tasks = static_cast<double>(best.tasks);
  const double sum = best.compiling + best.checking;
  fmt::print("{:>4} {:>9} {:>10.3f} {:>9.3f} {:>10.2f} {:>9.2f} {:>9.2f} {:>11.1f} {:>8} {:>13.1f} {:>7}\n",
             ep, best.tasks, best.compiling, best.checking, tasks / best.compiling * 1e-6,
             tasks / best.checking * 1e-6, tasks / sum * 1e-6, static_cast<double>(best.bytes) / tasks,
             usage.ru_maxrss / 1024, 1024.0 * static_cast<double>(usage.ru_maxrss) / tasks, best.errors);
}

bool measure_in_process(std::uint32_t ep) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    measure(ep);
    std::fflush(stdout);
    _exit(EXIT_SUCCESS);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::uint32_t> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(static_cast<std::uint32_t>(std::atoi(arguments[i])));
  if (sizes.empty()) sizes = {4, 8, 16, 64, 384};
  fmt::print(
      "  EP     tasks  compile s   check s  M tasks/s   M check     M sum  bytes/task  peak MB  peak B/task  "
      "errors\n");
  return std::ranges::all_of(sizes, measure_in_process) ? EXIT_SUCCESS : EXIT_FAILURE;
}
