#pragma once

#include "sim/published/evaluation.h"

namespace a3sim {

// Predicts a table whose cases each name what is measured of an experiment (`kernels`): a figure of a training step, or flows
// on a network. Each experiment runs once for all of its figures.
Predictions run_measures(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted);

// Measures flows on the experiment's network, in the metric's base unit (measured_traffic.cpp). Throws InputError for an unknown measure,
// and if a number that it needs is missing.
double measured_traffic(const PublishedTable& table, const PublishedKernel& kernel,
                        const Experiment& experiment);

}  // namespace a3sim
