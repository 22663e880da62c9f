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

// The thresholds of all rules, as read from configs/advice.
struct RuleBook {
  LocateLimits locate;
  RuleData shared, confidence;
  std::map<std::string, RuleData, std::less<>> causes;
};
// Reads a folder of thresholds. Throws InputError for anything wrong or missing.
RuleBook read_rules(const std::filesystem::path& folder);

// The part of a slowdown that no finding explains.
struct Unexplained {
  std::uint32_t first = 0, last = 0;  // steps
  double lost_ms = 0;                 // per step
};

// Where the time of a profile's rank goes: means of a step, in ms. The parts but `hidden` add up to the length.
struct RankShares {
  std::uint32_t rank = 0, steps = 0;
  double length = 0, computing = 0, transferring = 0, waiting = 0, still = 0, undecided = 0, free = 0,
         hidden = 0;
};
// A group of ranks that exchange data, and for whom they wait in it.
struct GroupShares {
  std::string use, name;  // "TP"
  bool told = false;      // by the profile; else inferred
  std::vector<std::uint32_t> ranks;
  std::uint32_t last = kNone,
                times = 0;  // the rank for which the others wait most, and how often it came last
  double waits_ms = 0;      // per step
};

struct Advice {
  std::uint32_t ranks = 0, steps = 0, slow = 0;
  std::vector<std::uint32_t> slow_steps;
  double usual_ms = 0;
  std::vector<Finding> findings;  // in descending order of cost
  // Findings that cost less than 1 % of a step. Leaves out those that larger findings make negligible.
  std::vector<Finding> infos;
  std::vector<Unexplained> unexplained;
  std::vector<Missing> missing;  // data that the source does not record
  std::vector<RankShares> time;  // of profiles from hardware
  std::vector<GroupShares> groups;
  std::optional<PathParts> path;  // nullopt: the critical path is neither known nor inferred
};

// Locates slow steps, analyses them, and asks all rules. The result depends on the observation and the rules
// only.
Advice advise(const Observation& observation, const RuleBook& rules);

}  // namespace a3sim
