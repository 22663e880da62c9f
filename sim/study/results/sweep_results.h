#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// An axis of a sweep, with the values that its points have on it: by number where all are numbers, else as
// they come first in the sweep. A point that does not lie on the axis has the value "".
struct ResultAxis {
  std::string name;
  std::vector<std::string> values;
};

enum class PointStatus : std::uint8_t { kNotRun, kDone, kFailed };

struct ResultPoint {
  std::vector<std::size_t> levels;  // for each axis, which of its values
  PointStatus status = PointStatus::kNotRun;
  std::string error;  // of a failed one
};

// One metric of one pass ('total': of all passes), for all points.
struct ResultMetric {
  std::string pass, name, unit;
  std::vector<double> values;  // one a point; NaN where there is none
};

// A sweep as it stands in a database: points in the sweep's order, whatever order they ran in.
struct SweepResults {
  std::string name;
  std::vector<ResultAxis> axes;
  std::vector<ResultPoint> points;
  std::vector<ResultMetric> metrics;  // latency first, blame.* last, otherwise by name

  const std::string& value(std::size_t point, std::size_t axis) const {
    return axes[axis].values[points[point].levels[axis]];
  }
  std::size_t count(PointStatus status) const;
  // Both throw InputError with the closest or all names when there is none.
  std::size_t axis(std::string_view name) const;
  const ResultMetric& metric(std::string_view pass, std::string_view name) const;
};

// All sweeps of a database by name, as they were at one moment. Neither hinders a sweep that is running nor
// leaves anything behind; a killed sweep's database is read up to its last commit. Throws InputError when the
// file is no sweep's database or cannot be understood, RunError when it cannot be read.
std::vector<SweepResults> read_results(const std::filesystem::path& file);

// The sweep of that name, or, without one, the only sweep; else InputError with the names.
const SweepResults& choose_sweep(const std::vector<SweepResults>& sweeps, std::string_view name);

// The points that `condition` lets through: `axis=value[,value...]`. Values are compared as text, then as
// numbers. Throws InputError on an unknown axis or value.
SweepResults where(const SweepResults& sweep, std::string_view condition);

// `points` of the sweep, in that order; axes keep the values that are still there.
SweepResults select(const SweepResults& sweep, const std::vector<std::size_t>& points);

}  // namespace a3sim
