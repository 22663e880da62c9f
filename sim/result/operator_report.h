#pragma once

#include "sim/experiment/run/run_outcome.h"
#include "traces/analysis/causes.h"
#include "traces/report/report.h"

namespace a3sim {

// These report a traced pass; `causes` are those of its trace.

// Adds what the operators of workers did, over all ranks.
void add_operators(const RunOutcome& pass, const Causes& causes, Report& report);

// Adds, for people, the L2 requests of a pass's operators, and which operators had left the data that they
// found: means over ranks.
void add_l2(const RunOutcome& pass, Report& report);

// Adds what the operators of streams and hosts did: one row per kernel, copy or host's step, with its part of
// the critical path.
void add_stream_operators(const RunOutcome& pass, const Causes& causes, Report& report);

// Adds each rank, for programs.
void add_ranks(const RunOutcome& pass, const Causes& causes, Report& report);

}  // namespace a3sim
