#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A step that was recorded in full.
struct ObservedPass {
  std::string name;  // of its tab; steps of several runs that have one name stand below each other
  FullStep step;
};

// Steps of one job. `job` gives the names of operators and must outlive the call that takes it.
struct ObservedRun {
  std::string name;
  const Observation* job = nullptr;
  std::vector<ObservedPass> passes;
};

// Adds timelines of kernels, exchanges and host events, each step from its first kernel on. What runs at one time on a
// rank has a lane each. Returns how many records had no lane, because more ran at one time than a page shows.
std::size_t add_observed(Page& page, const std::string& title, std::span<const ObservedRun> runs);

}  // namespace a3sim
