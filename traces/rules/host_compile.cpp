#include "traces/rules/host_lag.h"
#include "traces/rules/rule.h"
#include "traces/rules/standing_host.h"

namespace a3sim {
namespace {

class HostCompileRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_host_events(of, HostKind::kCompile, data.at("least_ms"), data.at("share"));
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_host_events(of, HostKind::kCompile, data);
  }
};

A3SIM_REGISTER(CauseRule, "host.compile", "operators are compiled anew", HostCompileRule);

}  // namespace
}  // namespace a3sim
