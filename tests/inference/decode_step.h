#pragma once

#include <string>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/inference/inference_run.h"

namespace a3sim {

// A step of decode of DeepSeek-V3 on 32 dies without drafts, shared experts before dispatch, so that all kernels follow one
// another. `more` are further overrides.
inline Experiment decode_of(std::vector<std::string> more = {},
                            const char* file = "decode_deepseek_v3.yaml") {
  std::vector<std::string> set{"inference.drafts=0", "inference.accepted=0", "inference.shared_beside=false",
                               "inference.over_capacity=true"};
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / file, set);
}

struct RanStep {
  PreparedInference prepared;
  InferenceFigures figures;

  const KernelAccount& kernel(const std::string& name) const {
    return *std::ranges::find(figures.kernels, name, &KernelAccount::name);
  }
  // Of one run of a kernel.
  Duration each(const std::string& name) const {
    return kernel(name).time / static_cast<std::int64_t>(kernel(name).runs);
  }
};
inline RanStep ran(const Experiment& experiment) {
  RanStep step;
  step.prepared = prepare_inference(experiment);
  step.figures = figures_of(experiment, step.prepared, run_inference(experiment, step.prepared));
  return step;
}
inline Duration time_of_step(const std::vector<std::string>& more,
                             const char* file = "decode_deepseek_v3.yaml") {
  return ran(decode_of(more, file)).figures.time;
}

}  // namespace a3sim
