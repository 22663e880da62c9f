#pragma once

#include <span>
#include <string>

#include "sim/diagnosis/rules/advice.h"
#include "traces/report/page/page.h"
#include "traces/trace.h"

namespace a3sim {

// The advice on a pass. The page's timelines show the pass under these names.
struct PassFindings {
  std::string run;
  const TracedPass* pass = nullptr;
  const Advice* advice = nullptr;
};

// Adds each finding with its place on the timeline of its pass: ranks, times, and the tasks that are its
// evidence. Adds nothing if there are no findings.
void add_findings(Page& page, std::span<const PassFindings> passes);

// Adds the findings of a job of many steps, each with its steps and ranks. Adds nothing if there are none.
void add_job_findings(Page& page, const Advice& advice);

}  // namespace a3sim
