#pragma once

#include <string>

#include "sim/experiment/step/training_plan.h"

namespace a3sim {

// Returns why the program of a step would not fit in this machine's memory, and how many samples would; empty if it fits.
std::string over_program_memory(const TrainingPlan& plan);

// To be called while a RunError is handled. Throws InputError at the size that makes the step longer than a run may be, with one
// that would fit; rethrows the error if no size is to blame.
[[noreturn]] void rethrow_at_size(const Experiment& experiment, const TrainingPlan& plan);

}  // namespace a3sim
