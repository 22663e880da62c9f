#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/diagnosis/locate/episodes.h"
#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/slowdown.h"

// Means over the recorded steps of an episode may mix faults of some of them. Each step by itself shows which cause is whose.
namespace a3sim {

// The causes that one recorded step shows, without the other steps.
struct StepSigns {
  std::uint32_t step = 0;
  std::vector<Finding> candidates, chosen;  // all that rules find, and what choose() leaves of them
};

// Returns them for recorded steps of an episode, the last ones too, ascending; none where only one was recorded, or where the
// records are those of another episode. `diagnose` asks all rules.
std::vector<StepSigns> signs_of_steps(const Slowdown& slowdown,
                                      const std::function<std::vector<Finding>(const Slowdown&)>& diagnose);

// Returns where an episode's recorded steps begin to show other causes, and none of those before any more.
std::vector<Turn> turns_of(const Slowdown& slowdown, const std::vector<StepSigns>& signs);

// Ends the steps of a finding at recorded steps that do not show its cause, before the first one and behind the last one
// that do.
void keep_to_signs(const Slowdown& slowdown, const std::vector<StepSigns>& signs, Finding& finding);

// Makes a finding claim the slow steps of its episode from position `begin` to before `end` only.
void claim_steps(const Slowdown& slowdown, std::size_t begin, std::size_t end, Finding& finding);

}  // namespace a3sim
