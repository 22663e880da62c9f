#pragma once

#include <vector>

#include "sim/experiment/step/time_class.h"

namespace a3sim {

// An activity that lasts for some time.
struct ClassInterval {
  Duration from{}, to{};
  TimeClass time_class{};
};

// Divides the time from zero to `end` among classes. Each moment goes to the first class that is active then,
// or to `rest` if none is. The classes sum to `end`.
ClassTimes swept(const std::vector<ClassInterval>& intervals, Duration end);

}  // namespace a3sim
