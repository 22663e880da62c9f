#include "traces/rules/rule.h"
#include "traces/rules/slow_links.h"

namespace a3sim {
namespace {

// All transfers are slow alike, and none of the other causes of slow communication holds.
class CommConfigRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    const TransferLags& lags = of.transfers;
    if (lags.size_usual > 0 && lags.size_now < data.at("smaller") * lags.size_usual) return {};
    std::vector<Finding> findings;
    for (const SlowLink& link : slow_links(of, data.at("slow")))
      if (link.kind == SlowLink::Kind::kAll && !of.reference.transfers.empty())
        findings.push_back(finding_of(of, link, data.at("slow")));
    return findings;
  }
};

A3SIM_REGISTER(CauseRule, "comm.config", "all communication is slow, without another cause", CommConfigRule);

}  // namespace
}  // namespace a3sim
