#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/sweep/results/best_view.h"
#include "sim/verdict/layout_lead.h"

namespace a3sim {

// The lines of a resolved configuration that say what a training step computes, and how it is laid out. Both are empty for other
// workloads.
struct StepLines {
  std::string work, layout;
};
StepLines step_lines(std::string_view config);

// Returns whether points that are better so take less time on as many dies: less latency, more tokens, more MFU.
bool follows_time(const Objective& objective);

// Returns what it is worth that the best of a sweep's training steps leads the best one of another layout that does the same work
// on as many dies; with the axis `per`, of those with another value there. nullopt if there are no two such steps. `asked`: what
// is best; none: the first of the metrics that follow time.
std::optional<LayoutLead> lead_of_best(const SweepResults& sweep, const std::string& pass,
                                       const std::string& per = "", std::optional<Objective> asked = {});

}  // namespace a3sim
