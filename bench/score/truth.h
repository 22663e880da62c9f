#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace a3sim {

// A fault that was injected into a job, with its steps. A fault that drifts or moves from rank to rank is
// written as several entries, but is one truth.
struct Truth {
  std::string kind, entry;
  std::set<std::uint32_t> ranks;
  std::set<std::pair<std::uint32_t, std::uint32_t>> links;
  std::set<std::string> operators, cables;
  std::vector<std::string> entries;  // those that it is written as
  std::uint32_t first = 0, last = 0;

  bool in(std::uint32_t step) const { return first <= step && step <= last; }
};

// Reads truth.json. Throws InputError for anything wrong.
std::vector<Truth> read_truth(const std::filesystem::path& file);

// The effect of a fault on the time of steps.
struct TruthEffect {
  double slowdown = 0;     // time of its steps relative to steps with the same other faults
  std::uint32_t felt = 0;  // the first step that becomes 3 % longer; the fault's first step if there is none
};
// Returns the effect of a fault. `took` holds the ps of each step. `usual` is the ps of a step without
// faults, for a job that has none.
TruthEffect effect_of(const Truth& truth, const std::vector<Truth>& truths, const std::vector<double>& took,
                      double usual);

// Returns the same of a fault without which the steps took `without`, each beside the other faults: what it
// costs by itself.
TruthEffect effect_of(const Truth& truth, const std::vector<double>& took,
                      const std::vector<double>& without);

// Returns whether faults may make a step longer: in their steps, and afterwards until queues have filled
// again.
bool in_a_fault(const std::vector<Truth>& truths, std::uint32_t step);

}  // namespace a3sim
