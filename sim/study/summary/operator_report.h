#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "traces/analysis/causes.h"

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
std::string operators_table(const PassResult& pass, const Causes& causes);
nlohmann::ordered_json operators_json(const PassResult& pass, const Causes& causes);

// What a pass's operators asked of the L2, and who had left there what they found: means of the ranks.
std::string l2_table(const PassResult& pass);
nlohmann::ordered_json l2_json(const L2Traffic& traffic);

}  // namespace a3sim
