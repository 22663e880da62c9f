#include <fmt/format.h>

#include "traces/rules/port_time.h"
#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"

namespace a3sim {
namespace {

// A port that is slow again and again for a while.
class CommFlappingRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    std::vector<Finding> findings;
    for (const SlowLink& link : slow_links(of, data.at("slow"))) {
      if (link.kind != SlowLink::Kind::kPort) continue;
      const PortInTime in_time = port_in_time(of, link.rank, link.egress);
      if (in_time.changes < data.at("changes") || in_time.low <= 0) continue;
      Finding finding = finding_of(of, link, data.at("slow"));
      finding.evidence.push_back({fmt::format("changes of rank {}'s port between low and full", link.rank),
                                  "a step", static_cast<double>(in_time.changes), data.at("changes"),
                                  finding.evidence.front().place});
      findings.push_back(finding);
    }
    return findings;
  }
};

A3SIM_REGISTER(CauseRule, "comm.flapping", "a port is slow again and again", CommFlappingRule);

}  // namespace
}  // namespace a3sim
