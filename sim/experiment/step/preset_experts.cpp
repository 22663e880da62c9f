#include "sim/experiment/step/preset_experts.h"

#include <fmt/format.h>

#include "sim/core/config/include.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

struct LaidPreset {
  bool forward_only = false;
  std::shared_ptr<const Experiment> experiment;
};

// Takes the pass that a preset has from its file, as a step has both. Returns whether that is the forward pass alone.
bool take_forward_only(ConfigValue& preset) {
  ConfigValue::Entry* const block = preset.find("experiment");
  if (!block) return false;
  const std::unique_ptr<ConfigValue> pass = block->value->take("pass");
  return pass && pass->text == "forward";
}

LaidPreset lay_preset(const Config& root, const std::string& preset) {
  Diagnostics diagnostics;
  std::unique_ptr<ConfigValue> over =
      read_with_includes(configs_folder() / "presets" / (preset + ".yaml"), diagnostics);
  diagnostics.throw_if_any();
  LaidPreset laid{take_forward_only(*over), nullptr};
  const std::unique_ptr<ConfigValue> tree = root.tree()->as_read();
  if (ConfigValue::Entry* const step = tree->find("step"))
    for (const char* key : {"experts", "experts_backward"}) step->value->take(key);
  merge(*tree, std::move(over));
  laid.experiment =
      std::make_shared<Experiment>(read_experiment(Config::from(*tree, {}, diagnostics), diagnostics));
  return laid;
}

}  // namespace

void read_preset_experts(const Config& root, TrainingPlan& plan) {
  const std::string &forward = plan.step.experts, &backward = plan.step.experts_backward;
  if (forward.empty()) return;
  const LaidPreset laid = lay_preset(root, forward);
  plan.forward = plan.backward = laid.experiment;
  const Config block = root.map("step");
  if (backward.empty()) {
    if (laid.forward_only)
      block.error("experts",
                  fmt::format("'{}' has the forward pass alone: say another preset for the backward "
                              "pass, such as step.experts_backward=hyperparallel",
                              forward));
    return;
  }
  const LaidPreset behind = lay_preset(root, backward);
  plan.backward = behind.experiment;
  if (behind.forward_only)
    block.error("experts_backward",
                fmt::format("'{}' has the forward pass alone: expected another preset, such "
                            "as hyperparallel",
                            backward));
}

std::string experts_label(const Experiment& experiment, const StepOptions& step) {
  if (step.exchange == ExpertExchange::kStreams) return "as kernels on streams";
  if (step.experts.empty()) return experiment.run.execution;
  if (step.experts_backward.empty()) return step.experts;
  return fmt::format("{} forward, {} backward", step.experts, step.experts_backward);
}

}  // namespace a3sim
