#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/diagnosis/rules/advice.h"
#include "traces/report/report.h"

namespace a3sim {

// The causes that count as correct for a kind of fault.
struct Answer {
  std::string kind, with;  // with: a word that the entry contains; empty: any
  std::vector<std::string> causes;
  enum class Place : std::uint8_t { kRanks, kLinks, kOperators, kNothing } place = Place::kRanks;
};
std::vector<Answer> read_answers(const std::filesystem::path& file);
std::vector<Answer> read_answers(const Config& root);

// An injected fault, and what the advice said about it.
struct ScoredFault {
  std::string kind;
  std::uint32_t first = 0, last = 0;  // steps
  std::uint32_t felt = 0;             // the first step that it makes 3 % longer; `first` if there is none
  double slowdown = 0;                // steps in its window relative to those outside
  bool found = false, placed = false;
  std::uint32_t delay = 0;  // steps from `felt` to the first step of a finding
  bool vendor = false;      // found by the vendor tool's thresholds alone
};

struct ScoredJob {
  std::vector<ScoredFault> faults;
  std::uint32_t findings = 0;  // without those for information
  std::uint32_t right = 0;     // findings that name a cause of a fault in its steps
  std::uint32_t vendor_findings = 0, vendor_right = 0;
  std::uint32_t healthy = 0, false_slow = 0;  // steps without faults; those of them that were called slow
};

// Advises on the job in a directory that `a3sim run --steps` wrote, and compares the advice with its truth.json.
ScoredJob score(const std::filesystem::path& directory, const RuleBook& rules,
                const std::vector<Answer>& answers);

// Reports precision, recall, place and delay, in total and by kind and severity. Faults that slow steps by
// less than `least` count only in the curve of severities.
Report score_report(const std::vector<ScoredJob>& jobs, double least);

// Runs a recorded job again with the remedy of each finding in place, and sets the remedies' gains to the
// time that observed steps take longer. The reruns repair what the finding names; what other findings name
// stays, as strong as they estimate it. A gain stays a bound if another finding of the same steps cannot be
// simulated. Never reads truth.json. Throws what Job::run() throws.
void prove(const std::filesystem::path& directory, const Observation& observation, Advice& advice,
           unsigned threads);

}  // namespace a3sim
