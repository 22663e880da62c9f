#pragma once

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Whether two schedules of one graph differ in nothing but their names, so that they run alike.
bool equal_schedules(const Schedule& a, const Schedule& b);

}  // namespace a3sim
