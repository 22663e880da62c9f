#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/experiment/step/training_step.h"

namespace a3sim {

// The numbers that scale a step's figures, and those that the simplest formula needs.
struct StepScale {
  double dies = 1, package = 1;  // all dies; dies that are sold as one
  double tokens = 0;             // of the step
  double model_flops = 0;        // per token
  double peak = 0;               // FLOPS of a die's matrix units
  bool h100 = false;             // true: uses the utilisation of an H100
};
StepScale scale_of(const Experiment& experiment);

// Returns a published figure of a step, in its unit. Throws InputError if steps do not have the metric.
double step_figure(const std::string& metric, const std::string& unit,
                   const nlohmann::ordered_json& coordinates, const StepFigures& figures,
                   const StepScale& scale);

// Returns the value by the simplest formula: the model's FLOPs at the utilisation that was measured for a
// dense step (Qwen3-8B) on the machine. nullopt: the formula does not give the metric.
std::optional<double> step_formula(const std::string& metric, const StepScale& scale);
// Returns the formula's value of how many times as fast a step is as another one.
std::optional<double> step_formula_ratio(const std::string& metric);

}  // namespace a3sim
