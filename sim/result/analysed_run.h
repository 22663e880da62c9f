#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/diagnosis/rules/advice.h"
#include "sim/result/saved_run.h"
#include "sim/verdict/verdict.h"
#include "traces/analysis/explanation.h"

namespace a3sim {

// A pass of a saved run with its analyses. `explained` and `advice` need its tasks.
struct AnalysedPass {
  const TracedPass* pass = nullptr;
  Verdict verdict;
  std::optional<Explanation> explained;
  std::optional<Advice> advice;

  Duration latency() const { return pass->trace.latency(); }
};

// A saved run as a page shows it.
struct AnalysedRun {
  const SavedRun* run = nullptr;
  std::string name;  // unique on the page
  std::vector<AnalysedPass> passes;
  std::uint32_t experts_per_rank = 0;  // 0: not written

  bool traced() const { return run->sums.empty(); }
  Duration total() const;
};

// Reads the bounds of a run, explains its passes, asks the rules about them, and runs the variations that say what limits
// them. The run must outlive the result. Throws InputError if result.json is not as `run -o` writes it.
AnalysedRun analyse(const SavedRun& run, std::string name, unsigned threads);

// Reports a pass in tables, with its verdict and its first finding as the last lines. Shows workers and communication of `rank`
// (kNone: all).
Report told_pass(const AnalysedRun& run, std::size_t pass, std::uint32_t rank);

}  // namespace a3sim
