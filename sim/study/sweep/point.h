#pragma once

#include <cstdint>
#include <string>

#include "sim/experiment/experiment.h"
#include "sim/experiment/portable_config.h"
#include "sim/study/sweep/positions.h"

namespace a3sim {

// A sweep's experiment at one position.
struct SweepPoint {
  std::string id;  // 32 hexadecimal digits
  PortableConfig config;
  std::string taskflow;  // points where this differs have different schedules
  Experiment experiment;
};

// Throws InputError with all that is wrong with the configuration: at its place in the sweep's file where
// that sets it, and with the point's coordinates.
SweepPoint resolve_point(const SweepSpec& spec, const SweepPosition& position);

}  // namespace a3sim
