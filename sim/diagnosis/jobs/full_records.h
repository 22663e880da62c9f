#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/diagnosis/jobs/job.h"
#include "traces/observation.h"

namespace a3sim {

// Returns the limits of the experiment's machine.
ObservedMachine machine_seen(const Experiment& experiment);

// Returns the full records of a step for some ranks: their operators, their host events, and the puts that
// leave or reach them. The step must hold its tasks' records. `names` are StepNames::operators.
FullStep full_records(const JobStep& step, std::span<const std::uint32_t> ranks,
                      const std::vector<std::string>& names);

}  // namespace a3sim
