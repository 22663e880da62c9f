#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A step that was recorded in full.
struct ObservedPass {
  std::string name;  // of its tab; equal names of several runs share a tab
  FullStep step;
};

// Steps of one job. `job` has the names of operators and must outlive the call that takes this.
struct ObservedRun {
  std::string name;
  const Observation* job = nullptr;
  std::vector<ObservedPass> passes;
};

// Adds timelines of kernels, exchanges and host events, each step from its first kernel on. What runs at
// the same time on a rank has lanes of its own. Returns the number of records without a lane, because more
// ran at one time than a page shows.
std::size_t add_observed(Page& page, const std::string& title, std::span<const ObservedRun> runs);

}  // namespace a3sim
