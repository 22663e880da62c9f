#pragma once

#include <string>
#include <vector>

#include "sim/study/explore/counterfactual.h"
#include "sim/study/summary/saved_run.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"

namespace a3sim {

// Two saved runs, and why their makespans differ.
struct RunDifference {
  struct OfPass {
    std::string name;
    const Trace* trace[2];  // of A and B; owned by the saved runs
    Explanation explained[2];
    OperatorBlame blame;  // A less B
  };
  std::vector<OfPass> passes;
  Duration total[2] = {};  // sum over the passes of A and of B, as saved
  Counterfactuals counterfactuals;
  // Returns A less B in picoseconds, both run again under the same jitter.
  MedianInterval apart() const { return difference_between(counterfactuals.a, counterfactuals.b); }
  std::string versions[2];  // of the program that wrote them
};

// Explains both runs. Then runs both again, and B with parts of A's configuration, all under the same
// jitter. The saved runs must outlive the result. Throws InputError if their passes differ; if both have
// one pass, its names may differ.
RunDifference difference_of(const SavedRun& a, const SavedRun& b, const JitterOptions& jitter,
                            unsigned threads);

// Returns one sentence: if they differ by more than noise, the largest cause, the counterfactual that
// explains most of the difference, and what that one changed most on the critical paths.
std::string conclusion(const RunDifference& difference);

// Returns "GMM1.m is 128 in A, 256 in B"; shortens long values.
std::string difference_text(const ConfigDifference& difference);

// Reports each pass of both as saved, the differences of the configurations, and the effect of each part
// under jitter. The last line is the conclusion.
Report difference_report(const RunDifference& difference, const JitterOptions& jitter);

}  // namespace a3sim
