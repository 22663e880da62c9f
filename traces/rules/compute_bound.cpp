#include "traces/rules/rule.h"
#include "traces/rules/slow_operator.h"
#include "traces/rules/standing_operator.h"

namespace a3sim {
namespace {

class ComputeBoundRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_slow_operator(of, data, Roof::kCompute);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_operators(of, data, Roof::kCompute);
  }
};

A3SIM_REGISTER(CauseRule, "compute.bound", "an operator is limited by its cores", ComputeBoundRule);

}  // namespace
}  // namespace a3sim
