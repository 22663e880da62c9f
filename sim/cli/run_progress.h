#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <thread>

#include "sim/cli/config_option.h"
#include "sim/core/progress.h"

namespace a3sim {

// Shows on a terminal that a run goes on, as long as this object lives: the number of ranks, and the time so
// far. Shows nothing in the first two seconds.
class RunProgress {
 public:
  explicit RunProgress(std::size_t ranks);

 private:
  void show(const std::stop_token& stop);

  Progress line_{"ranks are simulated"};
  std::size_t ranks_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last member: it ends before the members that it uses
};

// Returns the number of ranks that a run simulates.
std::size_t simulated_ranks(const Experiment& experiment);

// Warns, with the option to set, if many ranks are simulated although a few could represent them.
void warn_of_many_ranks(const ConfigOption& config, const Experiment& experiment);

}  // namespace a3sim
