#pragma once

#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "traces/analysis/causes.h"
#include "traces/report/report.h"

namespace a3sim {

// What one operator asked of the L2s of all ranks. `left_by`: requests that it found there, by the operator
// that had left them.
struct OperatorL2 {
  L2Traffic traffic;
  std::vector<std::uint64_t> left_by;  // empty where the L2 does not know
};
OperatorL2 l2_of(const PassResult& pass, std::size_t op);

// What the operator's tasks are made of.
TaskUnit unit_of(const OperatorInfo& info);

// What a pass's operators did, over all ranks; `causes` are those of the pass's trace.
void add_operators(const PassResult& pass, const Causes& causes, Report& report);

// For people: what a pass's operators asked of the L2, and who had left there what they found: means of the ranks.
void add_l2(const PassResult& pass, Report& report);

}  // namespace a3sim
