#pragma once

#include <memory>

#include "models/blocks/model_shape.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/step_options.h"
#include "sim/experiment/work.h"

namespace a3sim {

// A model and how to train it, as read from an experiment's configuration.
struct TrainingPlan {
  StepOptions step;
  ModelShape model;
  // The experiment under the presets of its experts, by pass; none: as it is.
  std::shared_ptr<const Experiment> forward, backward;
};
// The work of such an experiment.
class TrainingWork : public ExperimentWork {
 public:
  virtual const TrainingPlan& plan() const = 0;
};
// Returns the plan of an experiment whose workload is `training_step`; otherwise null.
const TrainingPlan* training_plan(const Experiment& experiment);
// Returns the same. Throws InputError if the experiment has another workload.
const TrainingPlan& training_plan_of(const Experiment& experiment);

}  // namespace a3sim
