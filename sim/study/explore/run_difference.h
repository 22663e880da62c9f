#pragma once

#include <string>
#include <vector>

#include "sim/study/explore/counterfactual.h"
#include "sim/study/summary/saved_run.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"

namespace a3sim {

// Two saved runs side by side, and why their makespans differ.
struct RunDifference {
  struct OfPass {
    std::string name;
    const Trace* trace[2];  // of A and B; the saved runs'
    Explanation explained[2];
    OperatorBlame blame;  // A - B
  };
  std::vector<OfPass> passes;
  Duration total[2] = {};  // of A and B as saved, over the passes
  Counterfactuals counterfactuals;
  // A - B, both run again under the same jitter, in picoseconds.
  MedianInterval apart() const { return difference_between(counterfactuals.a, counterfactuals.b); }
  std::string versions[2];  // of the program that wrote them
};

// Explains both, and runs both again, B with parts of A's configuration too, all under the same jitter. The
// saved runs must outlive the result. Throws InputError where they do not have the same passes; of one pass
// each, the names may differ.
RunDifference difference_of(const SavedRun& a, const SavedRun& b, const JitterOptions& jitter,
                            unsigned threads);

// One sentence: whether they differ by more than noise, the largest cause of the difference, that of the
// counterfactual that explains most of it, and what it changed most on the critical paths.
std::string conclusion(const RunDifference& difference);

// "GMM1.m is 128 in A, 256 in B": values that are long are shortened.
std::string difference_text(const ConfigDifference& difference);

// Each pass of both as saved, where the configurations differ, and what they and parts of them make under
// jitter; the last line is the conclusion.
Report difference_report(const RunDifference& difference, const JitterOptions& jitter);

}  // namespace a3sim
