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

// Returns whether points that are better in this metric take less time: latency, tokens, mfu.
bool follows_time(std::string_view metric);

// Returns what it is worth that the best of a sweep's training steps leads the best one of another layout that does the same work;
// with the axis `per`, of those with another value there. nullopt if there are no two such steps.
std::optional<LayoutLead> lead_of_best(const SweepResults& sweep, const std::string& pass,
                                       const std::string& per = "");

}  // namespace a3sim
