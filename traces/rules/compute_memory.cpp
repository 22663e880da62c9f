#include "traces/rules/rule.h"
#include "traces/rules/slow_operator.h"
#include "traces/rules/standing_operator.h"

namespace a3sim {
namespace {

class ComputeMemoryRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_slow_operator(of, data, Roof::kMemory);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_operators(of, data, Roof::kMemory);
  }
};

A3SIM_REGISTER(CauseRule, "compute.memory", "an operator is limited by memory", ComputeMemoryRule);

}  // namespace
}  // namespace a3sim
