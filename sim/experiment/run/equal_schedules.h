#pragma once

#include <cstdint>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Returns whether two schedules of one graph differ in nothing but their names, so that they run alike.
bool equal_schedules(const Schedule& a, const Schedule& b);

// Returns a hash that is equal for equal schedules, within one process. Different ones share it once in 2^64.
std::uint64_t schedule_hash(const Schedule& schedule);

}  // namespace a3sim
