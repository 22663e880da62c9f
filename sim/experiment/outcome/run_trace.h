#pragma once

#include <span>
#include <vector>

#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/run/run_outcome.h"
#include "traces/trace.h"

namespace a3sim {

// Returns what the analysis needs of the experiment's machine.
TraceMachine machine_of(const Experiment& experiment);

// Return the traces of an experiment's passes, which must have been run with records.
Trace trace_of(const Experiment& experiment, const PassResult& pass);
std::vector<Trace> traces_of(const Experiment& experiment, std::span<const PassResult> passes);

// Return the outcomes of passes. For Record::kTrace they must have been run with records.
RunOutcome outcome_of(const Experiment& experiment, const PassResult& pass, Record record);
std::vector<RunOutcome> outcomes_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    Record record);

}  // namespace a3sim
