#pragma once

#include <string>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// What one rank sent to another one over a cable.
struct CableTraffic {
  std::uint32_t src = 0, dst = 0;
  double bytes = 0;
};

// From one date to another one, since the run began.
struct CableStretch {
  Duration from{}, to{};
};

// What one cable of a plane carried during a run.
struct CableUse {
  std::string name;   // "leaf0->spine3"
  std::string level;  // "leaf-spine"
  BytesPerSecond rate{};
  double bytes = 0;
  double used = 0;  // of what it could have carried: from 0 to 1
  double peak = 0;  // the largest part of its rate at any time; 0 where ports cannot fill it
  Duration full{};  // how long it carried all that it can
  // Which cables hold flows up together, as each carries the same part of the same flows; kNone: this one cannot.
  std::uint32_t group = kNone;

  // Of runs that keep every task's life, where the cable may hold flows up.
  std::vector<CableStretch> full_stretches{};
  // Of the most used ones of such runs: the part of its rate that it carried in stretches of equal length, and whose bytes
  // these were, the largest first.
  std::vector<double> over_time{};
  std::vector<CableTraffic> traffic{};
};

}  // namespace a3sim
