#pragma once

#include <cstdint>
#include <string>

#include "sim/experiment/experiment.h"
#include "sim/experiment/portable_config.h"
#include "sim/study/sweep/sweep_file.h"

namespace a3sim {

// A sweep's points by their place on its axes: at [axis] the position of a value.
using SweepPosition = std::vector<std::uint32_t>;

// All positions of the axes' product without those that are excluded, the last dimension's values running
// fastest. Throws InputError for an exclusion that matches nothing, and where all points are excluded.
std::vector<SweepPosition> positions_of(const SweepSpec& spec);

// "ep=8, order=full".
std::string describe(const SweepSpec& spec, const SweepPosition& position);

// A sweep's experiment at one position.
struct SweepPoint {
  std::string id;  // 32 hexadecimal digits
  PortableConfig config;
  std::string taskflow;  // points where this differs have different schedules
  Experiment experiment;
};

// The id of the point that a configuration is.
std::string point_id(const PortableConfig& config);

// Throws InputError with all that is wrong with the configuration: at its place in the sweep's file where
// that sets it, and with the point's coordinates.
SweepPoint resolve_point(const SweepSpec& spec, const SweepPosition& position);

}  // namespace a3sim
