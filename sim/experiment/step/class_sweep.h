#pragma once

#include <vector>

#include "sim/experiment/step/time_class.h"

namespace a3sim {

// Something that goes on for a while.
struct ClassInterval {
  Duration from{}, to{};
  TimeClass time_class{};
};

// What the time from zero to `end` goes to: at any date the first class of those that go on then, `rest` where none
// does. The classes sum to `end`.
ClassTimes swept(const std::vector<ClassInterval>& intervals, Duration end);

}  // namespace a3sim
