#pragma once

#include <string>
#include <vector>

#include "sim/diagnosis/rules/advice.h"
#include "traces/report/page/observed_section.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Returns the steps of a job that were recorded in full, for timelines: as many as a page holds, in their
// order.
std::vector<ObservedPass> full_passes(const Observation& job);

// Adds a watched job to a page: the answer, its steps and each rank's part in them, findings, rates of links,
// and timelines of the steps that were recorded in full. `name` is the name of its directory.
void add_job(Page& page, const Observation& job, const Advice& advice, const std::string& name);

}  // namespace a3sim
