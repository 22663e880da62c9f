#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/balance/replicas.h"
#include "sim/experiment/experiment.h"
#include "sim/variation/variation.h"

namespace a3sim {

// A way to run the layer: the experiment as configured, or under another preset, program or method. It has the experiment's
// machine where it can, its sizes and its group.
struct TrafficPath {
  std::string name;
  std::shared_ptr<const Experiment> experiment;  // null: refused
  std::string refused;                           // why there is no such experiment
  bool micro_batches = false;                    // kernels on streams, which know the steps before
};

// Returns the experiment itself; the presets that have its passes, or those named; without names also MegaMoE's kernel
// in int8, if the experiment runs forward alone, and the shipped orders. Of an experiment on streams, each method. Those that do not
// fit say why.
std::vector<TrafficPath> traffic_paths(const Experiment& experiment, const std::vector<std::string>& named);

// Returns kernels on streams, by a method of balancing, on the experiment's machine.
TrafficPath streams_path(const Experiment& experiment, const std::string& method);

// Returns the changes that give an experiment this number of experts in all.
std::vector<std::string> changes_to_experts(const Experiment& experiment, std::uint32_t experts);

// Returns a path's experiment on these counts, as a variation of any other experiment. `before`: the steps before them, by which
// methods on streams choose. A path without an experiment gives none.
Variation on_counts(const TrafficPath& path, RoutingCounts counts, std::vector<RoutingCounts> before);

}  // namespace a3sim
