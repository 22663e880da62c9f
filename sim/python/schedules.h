#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "scheduler/ssc.h"

namespace a3sim {

// One pass's schedules of all ranks, as Python holds them.
struct PythonSchedule {
  std::string name;
  Schedule ranks;
};

}  // namespace a3sim
