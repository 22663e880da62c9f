#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/diagnosis/jobs/job.h"
#include "traces/observation.h"

namespace a3sim {

// Names of the operators of all passes, each once.
std::vector<std::string> operator_names(const Experiment& experiment);

// What the machine of an experiment allows.
ObservedMachine machine_seen(const Experiment& experiment);

// What is recorded of a step in full, of some ranks: their operators and what their hosts did, and the puts that leave
// them or reach them. The step has its tasks' records.
FullStep full_records(const JobStep& step, std::span<const std::uint32_t> ranks,
                      const std::vector<std::string>& names);

}  // namespace a3sim
