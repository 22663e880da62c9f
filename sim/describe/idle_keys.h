#pragma once

#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// A key that a configuration states and that changes nothing under what else it states.
struct IdleKey {
  Mark mark;
  std::string path;
  std::string text()
      const;  // "--set:1:1: routing.skew has no effect here. Exponent of … Only kind sampled uses it."
};

// Returns the keys of an experiment without effect: those that its readers accept but did not read (Config::let_stand()),
// because of a kind or an execution that is chosen elsewhere, and overridden values that other executions alone use: of the
// program, and in mappings by execution.
std::vector<IdleKey> idle_keys(const Experiment& experiment);

}  // namespace a3sim
