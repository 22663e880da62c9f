// Measures how processor time and memory grow with the group: the paper's shape, forward and backward,
// static, each size in its own process. With --guard, measures a few sizes only and returns exit code 1 if
// time grows faster than it should; it compares ratios within one run, not seconds.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"

using namespace a3sim;

namespace {

struct Size {
  std::uint32_t ep;
  bool alike;  // one node's ranks stand for all
};

struct Counts {
  std::uint64_t tasks = 0, events = 0;
};

struct Cost {
  Counts counts;
  double seconds = 0;
  std::int64_t kilobytes = 0;
};

Counts run(const Size& size) {
  const std::vector<std::string> set{fmt::format("parallel.ep={}", size.ep), "network.backend=native",
                                     fmt::format("experiment.simulate={}", size.alike ? "alike" : "all")};
  const Experiment experiment = load_experiment(configs_folder() / "experiments/ep384.yaml", set);
  Counts counts;
  for (const PassResult& pass : run_experiment(experiment, true, backend_in_threads(experiment))) {
    for (const RankResult& rank : pass.run.ranks) counts.tasks += rank.tasks;
    counts.events += pass.run.events;
  }
  return counts;
}

// Measures time and memory of a separate process.
std::optional<Cost> once(const Size& size) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Counts counts = run(size);
    _exit(write(ends[1], &counts, sizeof counts) == sizeof counts ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  close(ends[1]);
  Cost cost;
  const bool told = read(ends[0], &cost.counts, sizeof cost.counts) == sizeof cost.counts;
  close(ends[0]);
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  cost.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.kilobytes = usage.ru_maxrss;
  return told && status == 0 ? std::optional(cost) : std::nullopt;
}

// Returns the fastest of several runs.
Cost best(const Size& size, int runs) {
  std::optional<Cost> least;
  for (int i = 0; i < runs; ++i) {
    const std::optional<Cost> next = once(size);
    if (!next) {
      fmt::print(stderr, "EP{} did not run\n", size.ep);
      std::exit(EXIT_FAILURE);
    }
    if (!least || next->seconds < least->seconds) least = next;
  }
  return *least;
}

double exponent(const Size& small, const Cost& less, const Size& large, const Cost& more) {
  return std::log(more.seconds / less.seconds) / std::log(static_cast<double>(large.ep) / small.ep);
}

void print_all() {
  const std::vector<Size> sizes{{4, false}, {8, false},  {16, false}, {32, false}, {64, false},
                                {64, true}, {128, true}, {256, true}, {384, true}, {768, true}};
  fmt::print("  EP  ranks      tasks      events  processor s  memory MB  us/event  bytes/task  exponent\n");
  std::optional<Size> smaller;
  Cost before;
  for (const Size& size : sizes) {
    const Cost cost = best(size, size.ep <= 32 ? 3 : 1);
    fmt::print("{:>4}  {:>5} {:>10} {:>11} {:>12.2f} {:>10} {:>9.2f} {:>11.0f}", size.ep,
               size.alike ? "alike" : "all", cost.counts.tasks, cost.counts.events, cost.seconds,
               cost.kilobytes / 1024, 1e6 * cost.seconds / static_cast<double>(cost.counts.events),
               1024.0 * static_cast<double>(cost.kilobytes) / static_cast<double>(cost.counts.tasks));
    if (smaller && smaller->alike == size.alike)
      fmt::print(" {:>9.2f}", exponent(*smaller, before, size, cost));
    fmt::print("\n");
    std::fflush(stdout);
    smaller = size;
    before = cost;
  }
}

bool holds(std::string_view what, double value, double limit) {
  fmt::print("{}: {:.2f}, at most {:.2f}: {}\n", what, value, limit, value <= limit ? "holds" : "FAILS");
  return value <= limit;
}

// Limits are a third of a doubling above the values on a quiet machine.
bool guard() {
  const Size eight{8, false}, one_of_eight{8, true}, all_32{32, false}, alike_64{64, true},
      alike_256{256, true};
  const Cost all = best(eight, 3), turned = best(one_of_eight, 3), wide = best(all_32, 1),
             node = best(alike_64, 1), nodes = best(alike_256, 1);
  bool ok = holds("exponent of time from EP8 to EP32, all ranks", exponent(eight, all, all_32, wide), 1.8);
  ok &= holds("exponent of time from EP64 to EP256, ranks alike", exponent(alike_64, node, alike_256, nodes),
              1.5);
  ok &= holds("one rank of EP8 that stands for all, of the time of all", turned.seconds / all.seconds, 0.6);
  ok &= holds("EP64 with ranks alike, of the time of EP32 with all", node.seconds / wide.seconds, 0.7);
  return ok;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == "--guard") return guard() ? EXIT_SUCCESS : EXIT_FAILURE;
  print_all();
}
