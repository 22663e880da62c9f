#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/diagnosis/locate/limits.h"
#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/rule_data.h"
#include "sim/diagnosis/rules/step_path.h"
#include "traces/observation.h"

namespace a3sim {

// Thresholds of all rules: the folder `advice` of configurations.
struct RuleBook {
  LocateLimits locate;
  RuleData shared;
  std::map<std::string, RuleData, std::less<>> causes;
};
// Throws InputError for what is wrong or missing in it.
RuleBook read_rules(const std::filesystem::path& folder);

struct Advice {
  std::uint32_t ranks = 0, steps = 0, slow = 0;
  std::vector<std::uint32_t> slow_steps;
  double usual_ms = 0;
  std::vector<Finding> findings;  // what costs most first
  std::vector<Finding> infos;     // below 1 % of a step
  std::vector<Missing> missing;   // what the source could not say
  std::optional<PathParts> path;  // none where it is not known, nor to be inferred from records
};

// Locates what is slow, analyses it, and asks all rules. Follows from the observation and the rules alone.
Advice advise(const Observation& of, const RuleBook& rules);

}  // namespace a3sim
