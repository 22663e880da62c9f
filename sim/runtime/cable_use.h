#pragma once

#include <string>

#include "sim/core/units.h"

namespace a3sim {

// What one cable of a plane carried during a run.
struct CableUse {
  std::string name;   // "leaf0->spine3"
  std::string level;  // "leaf-spine"
  BytesPerSecond rate{};
  double bytes = 0;
  double used = 0;  // of what it could have carried: from 0 to 1
  double peak = 0;  // the largest part of its rate at any time; 0 where ports cannot fill it
  Duration full{};  // how long it carried all that it can
};

}  // namespace a3sim
