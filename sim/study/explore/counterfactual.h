#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/experiment.h"
#include "sim/study/explore/noise.h"

namespace a3sim {

// A key that two configurations have different values for; empty: it is not there.
struct ConfigDifference {
  std::string path, a, b;
};

// Where two resolved configurations differ, in the order of A's keys, then B's. Names and remarks do not
// count.
std::vector<ConfigDifference> config_differences(const std::filesystem::path& a,
                                                 const std::filesystem::path& b);

// A part of a configuration that can be taken over from another one as a whole.
struct ConfigPart {
  std::string_view name;                // "links"
  std::vector<std::string_view> paths;  // keys that belong to it, and all below them
};

// All parts; each key of a configuration belongs to the one that names most of its path, or to none. `*` in a path
// stands for any one name.
const std::vector<ConfigPart>& config_parts();
// Which, by its position; config_parts().size() for none.
std::size_t part_of(std::string_view path);

// The experiment of configuration B with one part of A's.
Experiment with_part(const std::filesystem::path& a, const std::filesystem::path& b, std::size_t part);

// B with one part of A's, run.
struct Counterfactual {
  std::string part;
  std::vector<ConfigDifference> differences;  // of this part
  Latencies totals;                           // of the passes, by run
  std::string error;                          // why it cannot run; then there are none
};

// All of them run under the same jitter.
struct Counterfactuals {
  Latencies a, b;  // as they are
  std::vector<Counterfactual> parts;
  std::vector<ConfigDifference> elsewhere;  // differences that belong to no part
  // What A's hit rates alone change, whatever made them: B on an L2 that answers at A's rates, less B on one
  // that answers at its own (both smear misses evenly, so that this cancels). None where the rates are equal
  // or operators of B are not A's.
  std::optional<MedianInterval> hit_rates;
};

// One side of a comparison.
struct RunToCompare {
  std::filesystem::path configuration;   // resolved
  std::map<std::string, L2Rates> rates;  // by operator
};

// Runs A and B as they are, and B with each part of A's that differs, on `threads` threads; only these passes.
Counterfactuals run_counterfactuals(const RunToCompare& a, const RunToCompare& b,
                                    const std::vector<std::string>& passes, const JitterOptions& jitter,
                                    unsigned threads);

}  // namespace a3sim
