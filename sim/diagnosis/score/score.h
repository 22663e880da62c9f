#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/diagnosis/rules/advice.h"
#include "traces/report/report.h"

namespace a3sim {

// Which causes count as found for a kind of faults.
struct Answer {
  std::string kind, with;  // a word of the entry; empty: any
  std::vector<std::string> causes;
  enum class Place : std::uint8_t { kRanks, kLinks, kOperators, kNothing } place = Place::kRanks;
};
std::vector<Answer> read_answers(const std::filesystem::path& file);
std::vector<Answer> read_answers(const Config& root);

// A fault that was injected into a job, and what advice said of it.
struct ScoredFault {
  std::string kind;
  std::uint32_t first = 0, last = 0;  // steps
  std::uint32_t felt = 0;             // the first of them that it makes 3 % longer; none does: the first
  double slowdown = 0;                // of the steps in its window, above those outside
  bool found = false, placed = false;
  std::uint32_t delay = 0;  // steps from the first that it makes longer to the first of a finding
  bool vendor = false;      // found by the thresholds of the vendor's tool alone
};

struct ScoredJob {
  std::vector<ScoredFault> faults;
  std::uint32_t findings = 0,
                right = 0;  // that are no info; of these, those that name a cause of a fault in its steps
  std::uint32_t vendor_findings = 0, vendor_right = 0;
  std::uint32_t healthy = 0, false_slow = 0;  // steps without faults; of these, those that were called slow
};

// Advises on the job in a directory that `a3sim monitor` wrote, and holds that against its truth.json.
ScoredJob score(const std::filesystem::path& directory, const RuleBook& rules,
                const std::vector<Answer>& answers);

// Precision, recall, place and delay, over all and by kind and severity. `least`: faults that slow steps by less are
// only counted in the curve of severities.
Report score_report(const std::vector<ScoredJob>& jobs, double least);

// Runs the job in a directory that `a3sim monitor` wrote again with each finding's remedy in place: what it names is
// healed, what the others name stays, as strong as they estimate it. Sets the remedies' gains: what observed steps take
// longer than those. Where another finding of the same steps cannot be put into the simulation, the bound stays.
// Nothing is read of what was injected. Throws as Job::run() does.
void prove(const std::filesystem::path& directory, const Observation& of, Advice& advice, unsigned threads);

}  // namespace a3sim
