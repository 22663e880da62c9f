#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// An axis of a sweep with the values of its points: sorted if all are numbers, else in the order of the
// sweep. A point that does not lie on the axis has the value "".
struct ResultAxis {
  std::string name;
  std::vector<std::string> values;
};

enum class PointStatus : std::uint8_t { kNotRun, kDone, kFailed };

struct ResultPoint {
  std::vector<std::size_t> levels;  // for each axis, the position of its value
  PointStatus status = PointStatus::kNotRun;
  std::string error;  // of a failed one
  // Of training steps that are done: equal for points with one layout, and for those that do the same work. 0: not known.
  std::size_t layout = 0, work = 0;
};

// One metric of one pass ('total': of all passes), for all points.
struct ResultMetric {
  std::string pass, name, unit;
  std::vector<double> values;  // one per point; NaN: none
};

// A sweep as read from a database. Points are in the order of the sweep, whatever order they ran in.
struct SweepResults {
  std::string name;
  std::vector<ResultAxis> axes;
  std::vector<ResultPoint> points;
  std::vector<ResultMetric> metrics;  // latency first, blame.* last, otherwise by name
  std::size_t best = 0;               // the sweep asks for so many of the least latency alone; 0: for all

  const std::string& value(std::size_t point, std::size_t axis) const {
    return axes[axis].values[points[point].levels[axis]];
  }
  std::size_t count(PointStatus status) const;
  // Both throw InputError with the closest name, or all names, if there is none.
  std::size_t axis(std::string_view name) const;
  const ResultMetric& metric(std::string_view pass, std::string_view name) const;
};

// Reads all sweeps of a database by name, as they were at one moment. Does not disturb a running sweep.
// Reads the database of a killed sweep up to its last commit. Throws InputError if the file is no sweep's
// database or cannot be understood, RunError if it cannot be read.
std::vector<SweepResults> read_results(const std::filesystem::path& file);

// Returns the sweep with that name; without a name the only one. Throws InputError with all names
// otherwise.
const SweepResults& choose_sweep(const std::vector<SweepResults>& sweeps, std::string_view name);

// Returns the points that meet `condition`: `axis=value[,value...]`. Values are compared as text, then as
// numbers. Throws InputError for an unknown axis or value.
SweepResults where(const SweepResults& sweep, std::string_view condition);

// Returns these points, in that order. Axes keep only values that are still used.
SweepResults select(const SweepResults& sweep, const std::vector<std::size_t>& points);

}  // namespace a3sim
