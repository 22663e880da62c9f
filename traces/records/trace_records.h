#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "traces/observation.h"
#include "traces/trace.h"

// A run's tasks as the records that are kept of a step: the same definitions as those of a job that is watched.
namespace a3sim {

// How far away the ends of a put are tells the plane that it goes over: by the time of its last byte and its signal on
// their way.
using PlaneOfHop = std::map<Duration, std::uint16_t>;

// Light records of a pass, by rank, with dates `since` later than the trace's. Rows, hosts and batches are no part of a
// trace.
std::vector<LightRecord> light_records(const Trace& trace, std::uint16_t pass, Duration since);

// Adds the operators and transfers of a pass, of all ranks. `names`: of operators, all that the trace has. Axes, rows and
// clocks are no part of a trace; of what an operator asked of the L2 a rank has its part of the operator's time.
void add_full_records(const Trace& trace, std::uint16_t pass, Duration since,
                      const std::vector<std::string>& names, const PlaneOfHop& planes, FullStep& full);

}  // namespace a3sim
