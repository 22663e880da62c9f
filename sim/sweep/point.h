#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/experiment/config/portable_config.h"
#include "sim/experiment/experiment.h"
#include "sim/sweep/sweep_file.h"

namespace a3sim {

// A point's place on the axes: at [axis] the position of its value.
using SweepPosition = std::vector<std::uint32_t>;

// Returns all positions of the axes' product that are not excluded; the values of the last dimension change
// fastest. Throws InputError for an exclusion that matches nothing, and if all points are excluded.
std::vector<SweepPosition> positions_of(const SweepSpec& spec);

// Returns "ep=8, order=full".
std::string describe(const SweepSpec& spec, const SweepPosition& position);

// The experiment of a sweep at one position.
struct SweepPoint {
  std::string id;  // 32 hexadecimal digits
  PortableConfig config;
  std::string taskflow;  // points that differ in it have different schedules
  Experiment experiment;
};

// Returns the id of the point with this configuration.
std::string point_id(const PortableConfig& config);

// Reads the experiments of a sweep's points. Files that no axis changes are read once. Thread-safe.
class PointReader {
 public:
  // `spec` must outlive it.
  explicit PointReader(const SweepSpec& spec) : spec_(spec) {}

  // Throws InputError with all that is wrong with the configuration, with the place in the sweep's file that
  // sets it and the point's coordinates.
  SweepPoint resolve(const SweepPosition& position);

 private:
  Experiment read(const std::string& text, const std::vector<std::string>& overrides);
  std::shared_ptr<const ConfigValue> included(const std::string& text);

  const SweepSpec& spec_;
  std::mutex mutex_;
  // By text: what its files state; null: they are wrong, or leave something open that overrides may give.
  std::map<std::string, std::shared_ptr<const ConfigValue>> included_;
};

}  // namespace a3sim
