#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/study/explore/counterfactual.h"
#include "sim/study/summary/saved_run.h"
#include "traces/blame_difference.h"
#include "traces/explanation.h"

namespace a3sim {

// Two saved runs side by side, and why their makespans differ.
struct RunDifference {
  struct OfPass {
    std::string name;
    const Trace* trace[2];  // of A and B; the saved runs'
    Explanation explained[2];
    BlameDifference blame;  // A - B
  };
  std::vector<OfPass> passes;
  Duration total[2] = {};  // of A and B, over the passes
  Counterfactuals counterfactuals;
  std::string versions[2];  // of the program that wrote them
};

// Explains both, and runs B again with parts of A's configuration. The saved runs must outlive the result.
// Throws InputError where they do not have the same passes.
RunDifference difference_of(const SavedRun& a, const SavedRun& b, unsigned threads);

// Tables for readers; the last line is the verdict.
std::string difference_text(const RunDifference& difference);
nlohmann::ordered_json difference_json(const RunDifference& difference);

// One sentence: the largest cause of the difference, that of the counterfactual that explains most of it.
std::string verdict(const RunDifference& difference);

}  // namespace a3sim
