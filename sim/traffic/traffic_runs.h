#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/traffic/traffic_paths.h"
#include "sim/variation/noise.h"

namespace a3sim {

// Runs of paths on steps of traffic, all at once: schedules as variations of one experiment, and micro-batches on streams with the
// steps before them.
class TrafficRuns {
 public:
  // Adds a run, and returns its number. `before`: the steps before it, by which methods on streams choose.
  std::size_t add(const TrafficPath& path, RoutingCounts counts, std::vector<RoutingCounts> before = {});
  // Runs all. Results do not depend on the threads.
  void run(unsigned threads);

  Duration at(std::size_t run) const { return runs_[run].time; }
  // Returns why it did not run; empty if it did.
  const std::string& refused(std::size_t run) const { return runs_[run].refused; }
  std::size_t size() const { return runs_.size(); }

 private:
  struct Run {
    const TrafficPath* path = nullptr;
    RoutingCounts counts;
    std::vector<RoutingCounts> before;
    Duration time{};
    std::string refused{};
  };
  void run_schedules(const std::vector<std::size_t>& numbers, unsigned threads);
  static void run_micro_batch(Run& run);

  std::vector<Run> runs_;
};

}  // namespace a3sim
