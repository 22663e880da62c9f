#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/compare/runs/counterfactual.h"
#include "sim/result/saved_run.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"

namespace a3sim {

// Two saved runs, and why their makespans differ.
struct RunDifference {
  struct ExplainedPass {
    std::string name;
    const Trace* trace[2];  // of A and B; owned by the saved runs
    Explanation explained[2];
    OperatorBlame blame;  // B less A
  };
  std::vector<ExplainedPass> passes;
  Duration total[2] = {};  // sum over the passes of A and of B, as saved
  Counterfactuals counterfactuals;
  // Returns B less A in picoseconds, both run again under the same jitter.
  MedianInterval apart() const { return difference_between(counterfactuals.b, counterfactuals.a); }
  // Returns whether both have run again; before, the causes of the difference are unknown.
  bool run_again() const { return !counterfactuals.a.empty() && !counterfactuals.b.empty(); }
  std::string versions[2];  // of the program that wrote them
};

// Explains both runs. Then runs both again, and B with parts of A's configuration, all under the same
// jitter. Calls `seen` with what is known before anything runs, and after each run. The saved runs must
// outlive the result. Throws InputError if their passes differ; if both have one pass, its names may differ.
RunDifference difference_of(const SavedRun& a, const SavedRun& b, const JitterOptions& jitter,
                            unsigned threads, const std::function<void(const RunDifference&)>& seen = {});

// Returns one sentence: if they differ by more than noise, the largest cause of the difference, that of the
// counterfactual that explains most of it, and what it changed most on the critical paths. Where noise hides a larger one,
// that is said.
std::string conclusion(const RunDifference& difference);

// Says why "faster" would mislead where runs are of different models or passes; else returns an empty text.
std::string different_work(const std::vector<ConfigDifference>& differences);

// Returns "GMM1.m is 128 in A, 256 in B"; shortens long values.
std::string difference_text(const ConfigDifference& difference);

// Each pass of both as saved, where the configurations differ, and what they and parts of them make under
// jitter, the largest cause first; the last line is the conclusion. Of what has not run yet only what was saved.
Report difference_report(const RunDifference& difference, const JitterOptions& jitter);

}  // namespace a3sim
