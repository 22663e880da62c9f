#pragma once

#include "models/traffic/traffic.h"
#include "sim/traffic/fitted_experiment.h"
#include "traces/report/report.h"

namespace a3sim {

// Says what a log holds, what of it is no traffic and left out, and which layers it lacks.
Report log_report(const TrafficLog& log);

// Adds a table of the layers, and what was chosen to run them.
void add_layers(const FittedExperiment& fitted, Report& report);

}  // namespace a3sim
