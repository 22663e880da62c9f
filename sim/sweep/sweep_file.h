#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/config/overrides.h"

namespace a3sim {

struct SweepValue {
  std::string label;
  std::vector<Override> settings;
};

struct SweepAxis {
  std::string name;
  std::vector<SweepValue> values;
  std::size_t dimension = 0;  // axes of one dimension advance together
};

// Points that a sweep leaves out: those with one of these values on each of these axes.
struct SweepExclusion {
  Mark mark;
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> values;  // axis, positions of values
};

// A sweep as its file describes it (README.md shows one).
struct SweepSpec {
  std::string name;  // the file's name without its ending
  std::filesystem::path file;
  std::string text;                // of the file, with overrides of the command line as comments
  std::string base;                // experiment, relative to the file
  std::vector<Override> settings;  // for every point
  std::vector<SweepAxis> axes;
  std::size_t dimensions = 0;
  std::vector<SweepExclusion> exclusions;
  std::vector<std::string> metrics;  // metrics to record
  bool leave_out_refused = false;    // true: leaves out positions whose configurations are refused
  std::size_t best = 0;  // computes only points that may be among so many of the least latency; 0: all
};

// The largest number of points of a sweep.
inline constexpr std::uint64_t kMostPoints = 1'000'000;

// Reads a sweep. `overrides` (path.to.key=value) apply to every point. Throws InputError with all that is
// wrong with the file, a line each, with file:line:column. Errors in its experiments appear when points are
// resolved.
SweepSpec read_sweep(const std::filesystem::path& file, std::span<const std::string> overrides);
// Reads the content of the file into a spec that has its path. Notes errors in the configuration's
// diagnostics.
void read_sweep(const Config& root, SweepSpec& spec);

}  // namespace a3sim
