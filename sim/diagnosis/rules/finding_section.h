#pragma once

#include <span>
#include <string>

#include "sim/diagnosis/rules/advice.h"
#include "traces/report/page/page.h"
#include "traces/trace.h"

namespace a3sim {

// What the rules found in a pass of a run that the page's timelines show under these names.
struct PassFindings {
  std::string run;
  const TracedPass* pass = nullptr;
  const Advice* advice = nullptr;
};

// Each finding with where it is on its pass's timeline: ranks, dates, and the tasks that its evidence stands at. None:
// nothing is added.
void add_findings(Page& page, std::span<const PassFindings> passes);

}  // namespace a3sim
