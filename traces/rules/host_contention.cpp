#include "traces/rules/host_launches.h"
#include "traces/rules/rule.h"
#include "traces/rules/standing_host.h"

namespace a3sim {
namespace {

class HostContentionRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_launches(of, data, true);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_launches(of, data, true);
  }
};

A3SIM_REGISTER(CauseRule, "host.contention", "launches are irregular, as something else runs on the node",
               HostContentionRule);

}  // namespace
}  // namespace a3sim
