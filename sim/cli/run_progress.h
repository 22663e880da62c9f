#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <thread>

#include "sim/cli/config_option.h"
#include "sim/core/progress.h"

namespace a3sim {

// Shows at a terminal that a run goes on, for as long as it lives: so many ranks, and the time so far. Runs of less than
// two seconds show nothing.
class RunProgress {
 public:
  explicit RunProgress(std::size_t ranks);

 private:
  void show(const std::stop_token& stop);

  Progress line_{"ranks are simulated"};
  std::size_t ranks_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // the last member: it ends before what it uses
};

// The number of ranks that a run simulates.
std::size_t simulated_ranks(const Experiment& experiment);

// Warns if all of many ranks are simulated although a few could stand for them, with the option to give.
void warn_of_many_ranks(const ConfigOption& config, const Experiment& experiment);

}  // namespace a3sim
