#include "sim/experiment/step/training_plan.h"

#include "sim/core/error.h"

namespace a3sim {

const TrainingPlan* training_plan(const Experiment& experiment) {
  const auto* const work = dynamic_cast<const TrainingWork*>(experiment.work.get());
  return work ? &work->plan() : nullptr;
}

const TrainingPlan& training_plan_of(const Experiment& experiment) {
  const TrainingPlan* const plan = training_plan(experiment);
  if (!plan) throw InputError(experiment.name + ": experiment.workload is not training_step");
  return *plan;
}

}  // namespace a3sim
