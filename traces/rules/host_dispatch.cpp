#include "traces/rules/host_launches.h"
#include "traces/rules/rule.h"
#include "traces/rules/standing_host.h"

namespace a3sim {
namespace {

class HostDispatchRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_launches(of, data, false);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_launches(of, data, false);
  }
};

A3SIM_REGISTER(CauseRule, "host.dispatch", "launches come later than the device asks for them",
               HostDispatchRule);

}  // namespace
}  // namespace a3sim
