#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"

// Latencies of one experiment under two replacement policies: the program's, and our own of mru.cpp. The order, as the
// machine and all else, is a matter of the YAML.
int main(int arguments, char** argument) {
  if (arguments != 2) return 2;
  try {
    for (const std::string policy : {"lru", "mru"}) {
      const std::vector<std::string> set{"l2.policy=" + policy};
      const a3sim::Experiment experiment = a3sim::load_experiment(argument[1], set);
      for (const a3sim::PassResult& pass : a3sim::run_experiment(experiment, false))
        fmt::print("{} {} {} {:.3f} ms\n", policy, experiment.order.name, pass.name,
                   a3sim::milliseconds(pass.run.makespan));
    }
  } catch (const a3sim::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
