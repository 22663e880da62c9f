#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "sim/cli/config_option.h"
#include "sim/core/progress.h"
#include "sim/experiment/run/run_estimate.h"

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

// Returns the same experiment with a few ranks that represent all, or nullopt if this is not possible or is so already.
std::optional<Experiment> with_few_ranks(const ConfigOption& config, const Experiment& experiment);

// Throws InputSizeError, with what needs less, if a run of the experiment needs more memory than the machine has. For commands
// that run it many times, before the first one.
void refuse_beyond_memory(const Experiment& experiment);

// Prints an estimate on one line, with what makes the run shorter, if it is more than two seconds.
void announce(const RunEstimate& estimate, const std::string& shorter = {});

// Prints on one line what a run is foreseen to take, if that is more than two seconds, and the option that makes it shorter.
// `steps` is the number of steps of a job, whose ranks all differ; `recorded` says that each task is kept.
void announce_run(const ConfigOption& config, const Experiment& experiment, std::uint32_t steps,
                  bool recorded);

}  // namespace a3sim
