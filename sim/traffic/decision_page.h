#pragma once

#include "sim/traffic/decision.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A page of a decision: experts over time, ranks' loads, what paths cost, and when moving has come back. `log` says what the log
// holds, `decided` what was decided.
Page decision_page(const TrafficDecision& decision, const Report& log, const Report& decided);

}  // namespace a3sim
