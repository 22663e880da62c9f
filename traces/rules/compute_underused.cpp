#include "traces/rules/rule.h"
#include "traces/rules/slow_operator.h"
#include "traces/rules/standing_operator.h"

namespace a3sim {
namespace {

class ComputeUnderusedRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_slow_operator(of, data, Roof::kNeither);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_operators(of, data, Roof::kNeither);
  }
};

A3SIM_REGISTER(CauseRule, "compute.underused",
               "an operator reaches neither what its cores nor what the memory give", ComputeUnderusedRule);

}  // namespace
}  // namespace a3sim
