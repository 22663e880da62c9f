#pragma once

#include <vector>

#include "traces/rules/compute_lag.h"
#include "traces/rules/rule_data.h"

namespace a3sim {

// What limits an operator: what the memory gives, what the cores give, or neither.
enum class Roof : std::uint8_t { kMemory, kCompute, kNeither };
// `used`: the part of a roof from which on it is the limit.
Roof roof_of(const OperatorRecord& of, const ObservedMachine& machine, double used);

// A finding of operators that take longer than usual at equal work, where others do not, and that `roof` limits.
std::vector<Finding> judge_slow_operator(const Case& of, const RuleData& data, Roof roof);

}  // namespace a3sim
