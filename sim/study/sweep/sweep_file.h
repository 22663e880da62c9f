#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/overrides.h"

namespace a3sim {

struct SweepValue {
  std::string label;
  std::vector<Override> settings;
};

struct SweepAxis {
  std::string name;
  std::vector<SweepValue> values;
  std::size_t dimension = 0;  // axes of one dimension are walked together
};

// Points that a sweep leaves out: those that have one of these values on each of these axes.
struct SweepExclusion {
  Mark mark;
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> values;  // axis, its values
};

// A sweep as its file says it (README.md shows one).
struct SweepSpec {
  std::string name;  // the file's, without its ending
  std::filesystem::path file;
  std::string text;                // of the file, and of what the command line adds, as comments
  std::string base;                // experiment, relative to the file
  std::vector<Override> settings;  // of every point
  std::vector<SweepAxis> axes;
  std::size_t dimensions = 0;
  std::vector<SweepExclusion> exclusions;
  std::vector<std::string> metrics;  // that are recorded
  bool leave_out_refused = false;    // positions whose configurations are refused are no points
};

// So many points may one sweep have.
inline constexpr std::uint64_t kMostPoints = 1'000'000;

// Reads a sweep; `overrides` (path.to.key=value) are of every point. Throws InputError with all that is wrong
// with it, a line each, with file:line:column; what is wrong with its experiments shows when they are
// resolved.
SweepSpec read_sweep(const std::filesystem::path& file, std::span<const std::string> overrides);
// What stands in the file of a spec that has its path; what is wrong is noted.
void read_sweep(const Config& root, SweepSpec& spec);

}  // namespace a3sim
