// Measures the time to simulate one operator, with pieces in its L2 and with every line, on one core.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"

namespace {

using namespace a3sim;

struct Case {
  const char* name;
  const char* config;
  std::vector<std::string> set;
};

double best_of(int repeats, const Case& what, const char* mode, L2Traffic& traffic) {
  std::vector<std::string> set = what.set;
  set.push_back(fmt::format("l2.mode={}", mode));
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Experiment experiment =
        load_experiment(configs_folder() / "experiments" / fmt::format("{}.yaml", what.config), set);
    traffic = run_experiment(experiment, false).front().run.ranks.front().l2;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  const Case cases[] = {
      {"GEMM 4096 x 7168 x 4096, warm (two runs)", "gemm", {"graph.sizes.k=7168"}},
      {"GEMM 4096 x 7168 x 4096", "gemm", {"graph.sizes.k=7168", "l2.start=cold"}},
      {"GEMM 12288 x 12288 x 12288",
       "gemm",
       {"graph.sizes.m=12288", "graph.sizes.n=12288", "graph.sizes.k=12288", "l2.start=cold"}},
      {"SwiGLU + Add, 32768 rows", "swiglu_add", {"l2.start=cold"}},
      {"backward of one rank of the paper's EP4", "ep4", {"parallel.ep=1", "experiment.pass=backward"}},
  };
  fmt::print("{:<42} {:>10} {:>10} {:>16}\n", "whole run, configuration to latency", "pieces ms", "lines ms",
             "lines looked up/s");
  for (const Case& what : cases) {
    L2Traffic traffic;
    const double pieces = best_of(5, what, "pieces", traffic), lines = best_of(2, what, "lines", traffic);
    const auto requests =
        static_cast<double>(traffic.read.hit + traffic.read.miss + traffic.write.hit + traffic.write.miss);
    fmt::print("{:<42} {:>10.1f} {:>10.1f} {:>14.1f} M\n", what.name, pieces * 1e3, lines * 1e3,
               requests * kL2Request / kL2Line / lines * 1e-6);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) * 1e-3);
}
