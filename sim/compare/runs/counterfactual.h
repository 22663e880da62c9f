#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/variation/config_part.h"
#include "sim/variation/difference_table.h"

namespace a3sim {

// A run of B with one part of A's configuration.
struct Counterfactual {
  std::string part;
  std::vector<ConfigDifference> differences;  // of this part
  Latencies totals;                           // of the passes, by run
  std::string error;  // why it cannot run; then there are no totals, as before it has run
};

// All runs of a comparison, under the same jitter.
struct Counterfactuals {
  Latencies a, b;  // unchanged
  std::vector<Counterfactual> parts;
  std::vector<ConfigDifference> elsewhere;  // differences that belong to no part
  // The effect of A's hit rates alone: B with an L2 that has A's rates, less B with one that has B's own.
  // (Both spread misses evenly, so that this cancels.) nullopt if the rates are equal or B has operators
  // that A lacks.
  std::optional<MedianInterval> hit_rates;
};

// One side of a comparison.
struct RunToCompare {
  std::filesystem::path configuration;   // resolved
  std::map<std::string, L2Rates> rates;  // one entry per operator
};

// Runs A and B unchanged, then B with each part of A's that differs, on `threads` threads. Runs only these passes. A part
// that changes nothing in the first run is not run again. Calls `seen` as runs end.
Counterfactuals run_counterfactuals(const RunToCompare& a, const RunToCompare& b,
                                    const std::vector<std::string>& passes, const JitterOptions& jitter,
                                    unsigned threads,
                                    const std::function<void(const Counterfactuals&)>& seen = {});

}  // namespace a3sim
