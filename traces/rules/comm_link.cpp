#include "traces/rules/port_time.h"
#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"
#include "traces/rules/standing_links.h"

namespace a3sim {
namespace {

// Steadily slow ports and paths.
class CommLinkRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    std::vector<Finding> findings;
    for (const SlowLink& link : slow_links(of, data.at("slow"))) {
      if (link.kind == SlowLink::Kind::kAll) continue;
      if (link.kind == SlowLink::Kind::kPort) {
        const PortInTime in_time = port_in_time(of, link.rank, link.egress);
        if (in_time.changes >= data.at("changes") && in_time.low > 0) continue;
      }
      findings.push_back(finding_of(of, link, data.at("slow")));
    }
    return findings;
  }

  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    std::vector<Finding> findings;
    for (const StandingLink& link : standing_links(of, data.at("standing")))
      findings.push_back(finding_of(of, link, data.at("standing")));
    return findings;
  }
};

A3SIM_REGISTER(CauseRule, "comm.link", "a port or a path is steadily slow", CommLinkRule);

}  // namespace
}  // namespace a3sim
