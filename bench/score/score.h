#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/diagnosis/rules/advice.h"
#include "traces/report/report.h"

namespace a3sim {

// The causes that are a correct answer for a kind of fault.
struct Answer {
  std::string kind, with;  // with: a word that the entry must contain; empty for any
  std::vector<std::string> causes;
  enum class Place : std::uint8_t { kRanks, kLinks, kOperators, kCables, kNothing } place = Place::kRanks;
};
std::vector<Answer> read_answers(const std::filesystem::path& file);
std::vector<Answer> read_answers(const Config& root);

// An injected fault, and what the advice said about it.
struct ScoredFault {
  std::string kind;
  std::uint32_t first = 0, last = 0;  // steps
  std::uint32_t felt = 0;             // the first step that becomes 3 % longer; `first` if there is none
  double slowdown = 0;  // time of its steps relative to the same without it, or to steps with the same others
  bool found = false, placed = false;
  std::uint32_t delay = 0;  // steps from `felt` to the first step of a finding
  bool vendor = false;      // the vendor tool's thresholds alone find it
};

struct ScoredFinding {
  std::string cause;
  double explains = 0, confidence = 0;
  bool right = false;    // it names a cause of a fault, in its steps, at a part of its place
  bool healthy = false;  // it names a rank that no fault in its steps concerns
};

struct ScoredJob {
  std::vector<ScoredFault> faults;
  std::vector<ScoredFinding> findings;  // leaves out findings for information
  std::uint32_t open = 0;               // slowdowns whose cause the advice calls open
  std::uint32_t vendor_findings = 0, vendor_right = 0;
  std::uint32_t healthy = 0, false_slow = 0;  // steps without faults; those that were called slow
  bool isolated = false;  // slowdowns are those of simulations without each fault (isolation.h)
};

// Advises on a job, and compares the advice with its truth.json.
ScoredJob score(const Observation& observation, const std::filesystem::path& truth_file,
                const RuleBook& rules, const std::vector<Answer>& answers);

// Reports precision, recall, place and delay, in total, by kind, by severity and by the number of faults of a
// job; and for each confidence, how many findings are right. Faults that slow steps by less than `least`
// count only in the curve of severities.
Report score_report(const std::vector<ScoredJob>& jobs, double least);

}  // namespace a3sim
