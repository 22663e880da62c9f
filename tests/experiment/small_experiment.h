#pragma once

#include <string>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

inline constexpr std::uint32_t kEp = 4, kTokens = 96, kHidden = 256, kTopK = 2, kExpertsPerRank = 3,
                               kElement = 2;

// Returns a small MoE feed-forward layer on the shipped machine. `more` are further overrides.
inline Experiment small(std::vector<std::string> more = {}) {
  std::vector<std::string> set{"parallel.ep=4",          "model.tokens=96", "model.hidden=256",
                               "model.intermediate=128", "model.top_k=2",   "model.experts_per_rank=3",
                               "cut.chunk=16",           "cut.task_rows=16"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "ep4.yaml", set);
}

}  // namespace a3sim
