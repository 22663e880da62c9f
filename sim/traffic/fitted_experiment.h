#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/traffic/traffic.h"
#include "sim/experiment/experiment.h"
#include "sim/traffic/unevenness.h"

namespace a3sim {

// Options of an experiment that is to run a log.
struct FitOptions {
  std::string config;  // empty: the shipped ep8, forward
  std::vector<std::string> set;
  std::uint32_t tokens =
      0;  // of a rank in a step; 0: as many as leave enough steps, at most the experiment's
  DealBy deal = DealBy::kTurn;
  std::optional<std::uint32_t> layer;
};

// How uneven a layer is that was logged.
struct LayerUnevenness {
  std::uint32_t layer = 0;
  Unevenness unevenness;
};

struct FittedExperiment {
  Experiment experiment;
  std::vector<LayerUnevenness> layers;  // those with two steps or more
  std::uint32_t layer = 0;
  std::vector<std::string> notes;  // what was chosen, in sentences
};

// Returns the experiment with the log's experts, experts per token, and tokens in a step. Throws InputError if they do not fit.
FittedExperiment fit_experiment(const TrafficLog& log, const FitOptions& options);

}  // namespace a3sim
