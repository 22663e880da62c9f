#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// A change of a program whose gain was published, and what is predicted of it.
struct PublishedChange {
  std::string what;                     // "V1 of MegaMoE in place of its first version"
  std::string where;                    // the case of the published table: "ep 8, tokens 64"
  double published = 0, predicted = 0;  // 1 - (latency after / latency before)

  // Returns by how much too much is predicted; 0 if too little is.
  double exaggerated() const { return predicted > published ? predicted - published : 0; }
  double error() const { return predicted < published ? published - predicted : predicted - published; }
};

// Returns the published change of the experiment's workload (configs/reference/changes.yaml) whose case is nearest to the
// experiment: the numbers that the case sets differ least from the experiment's, as ratios. Runs the case before and after
// the change. Returns nullopt if no change of its workload was published.
std::optional<PublishedChange> nearest_published_change(const Experiment& experiment, unsigned threads);

}  // namespace a3sim
