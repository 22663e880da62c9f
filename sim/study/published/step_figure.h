#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/experiment/step/training_step.h"

namespace a3sim {

// What a step's figures are scaled by, and what the simplest formula is made of.
struct StepScale {
  double dies = 1, package = 1;  // in all; that are sold as one
  double tokens = 0;             // of the step
  double model_flops = 0;        // a token
  double peak = 0;               // FLOPS of a die's matrix units
  bool h100 = false;             // of which machine the formula's utilisation is
};
StepScale scale_of(const Experiment& experiment);

// A published figure of a step, in its unit. Throws InputError for a metric that steps do not have.
double step_figure(const std::string& metric, const std::string& unit,
                   const nlohmann::ordered_json& coordinates, const StepFigures& figures,
                   const StepScale& scale);

// The simplest formula: the model's FLOPs at the utilisation that the machine's given dense step (Qwen3-8B) was measured to
// have. nullopt: it says nothing of the metric.
std::optional<double> step_formula(const std::string& metric, const StepScale& scale);
// The same of how many times as fast a step is as another one.
std::optional<double> step_formula_ratio(const std::string& metric);

}  // namespace a3sim
