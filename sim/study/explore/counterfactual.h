#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/experiment.h"
#include "sim/study/explore/noise.h"

namespace a3sim {

// A key whose values in two configurations differ. Empty: the key is not there.
struct ConfigDifference {
  std::string path, a, b;
};

// Returns the keys at which two resolved configurations differ, in the order of A's keys, then B's. Ignores
// names and remarks.
std::vector<ConfigDifference> config_differences(const std::filesystem::path& a,
                                                 const std::filesystem::path& b);

// A part of a configuration that can be taken from another one as a whole.
struct ConfigPart {
  std::string_view name;                // "links"
  std::vector<std::string_view> paths;  // keys that belong to it, with all keys below them
};

// Returns all parts. A key belongs to the part that names most of its path, or to none. `*` in a path
// stands for any name.
const std::vector<ConfigPart>& config_parts();
// Returns the position of the part that a key belongs to, or config_parts().size() if none.
std::size_t part_of(std::string_view path);

// Returns the experiment of configuration B with one part of A's. Shares of products that are the number of cubes in both belong to
// the number of workers, which they follow.
Experiment with_part(const std::filesystem::path& a, const std::filesystem::path& b, std::size_t part);

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
// that changes nothing in the first run is not run again. Calls `seen` after each of these variants.
Counterfactuals run_counterfactuals(const RunToCompare& a, const RunToCompare& b,
                                    const std::vector<std::string>& passes, const JitterOptions& jitter,
                                    unsigned threads,
                                    const std::function<void(const Counterfactuals&)>& seen = {});

}  // namespace a3sim
