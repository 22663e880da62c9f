#pragma once

#include "models/traffic/traffic.h"
#include "traces/report/report.h"

namespace a3sim {

// Says what a log holds, what of it is no traffic and left out, and which layers it lacks.
Report log_report(const TrafficLog& log);

}  // namespace a3sim
