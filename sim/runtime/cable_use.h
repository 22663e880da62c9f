#pragma once

#include <string>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// The bytes that one rank sent to another over a cable.
struct CableTraffic {
  std::uint32_t src = 0, dst = 0;
  double bytes = 0;
};

// A stretch of time, counted from the start of the run.
struct CableStretch {
  Duration from{}, to{};
};

// The traffic of one cable of a plane during a run.
struct CableUse {
  std::string name;   // "leaf0->spine3"
  std::string level;  // "leaf-spine"
  BytesPerSecond rate{};
  double bytes = 0;
  double used = 0;  // bytes, as a share (0 to 1) of what it could have carried
  double peak = 0;  // the largest share of its rate at any time; 0 if ports cannot fill it
  Duration full{};  // the time in which it carried all that it can
  // Cables with the same number hold the same flows up, since each carries the same part of them. kNone: this
  // cable cannot hold flows up.
  std::uint32_t group = kNone;

  // When the cable was full. Only in runs that record tasks, for cables that may hold flows up.
  std::vector<CableStretch> full_stretches{};
  // For the most used cables of such runs: the share of the rate that the cable carried in each of many
  // stretches of equal length, and who sent the bytes, the largest sender first.
  std::vector<double> over_time{};
  std::vector<CableTraffic> traffic{};
};

}  // namespace a3sim
