#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/traffic/traffic_paths.h"
#include "sim/variation/difference_table.h"

namespace a3sim {

// Runs of paths on steps of traffic, as one list of variations.
class TrafficRuns {
 public:
  // Adds a run, and returns its number. `before`: the steps before it, by which methods on streams choose.
  std::size_t add(const TrafficPath& path, RoutingCounts counts, std::vector<RoutingCounts> before = {});
  // Runs all, of which none depends on this experiment. Results do not depend on the threads.
  void run(const Experiment& experiment, unsigned threads);

  // Returns the time of the passes that the path's experiment asks for; 0 if it did not run.
  Duration at(std::size_t run) const;
  // Returns why it did not run; empty if it did.
  const std::string& refused(std::size_t run) const { return table_.rows[run].refused; }

 private:
  std::vector<Variation> variations_;
  std::vector<std::size_t> passes_;  // by run, of the path's experiment
  DifferenceTable table_;
};

}  // namespace a3sim
