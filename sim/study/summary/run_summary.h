#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "sim/experiment/run_experiment.h"

namespace a3sim {

// All that a run has to say: its page, for people and for programs, and the ends of what its latency may be where values
// were assumed. The passes were run with records.
struct RunSummary {
  std::string text;
  nlohmann::ordered_json json;
};
RunSummary run_summary(const Experiment& experiment, const Compiled& compiled,
                       std::span<const PassResult> passes);

}  // namespace a3sim
