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
  Duration total[2] = {};  // of A and B, over the passes
  Counterfactuals counterfactuals;
  std::string versions[2];  // of the program that wrote them
};

// Explains both, and runs B again with parts of A's configuration. The saved runs must outlive the result.
// Throws InputError where they do not have the same passes.
RunDifference difference_of(const SavedRun& a, const SavedRun& b, unsigned threads);

// One sentence: the largest cause of the difference, that of the counterfactual that explains most of it.
std::string conclusion(const RunDifference& difference);

// Each pass of both, and where the configurations differ; the last line is the conclusion.
Report difference_report(const RunDifference& difference);

}  // namespace a3sim
