#pragma once

#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "traces/analysis/causes.h"
#include "traces/report/report.h"

namespace a3sim {

// Requests of one operator to the L2s of all ranks. `left_by` counts hits by the operator that had left the
// data there.
struct OperatorL2 {
  L2Traffic traffic;
  std::vector<std::uint64_t> left_by;  // empty if the L2 does not record it
};
OperatorL2 l2_of(const PassResult& pass, std::size_t op);

// Returns the kind of the operator's tasks.
TaskUnit unit_of(const OperatorInfo& info);

// Adds what a pass's operators did, over all ranks. `causes` are those of the pass's trace.
void add_operators(const PassResult& pass, const Causes& causes, Report& report);

// Adds, for people, the L2 requests of a pass's operators, and which operators had left the data that they
// found: means over ranks.
void add_l2(const PassResult& pass, Report& report);

}  // namespace a3sim
