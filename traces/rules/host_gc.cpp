#include <fmt/format.h>

#include <map>

#include "traces/rules/host_lag.h"
#include "traces/rules/rule.h"
#include "traces/rules/standing_host.h"

namespace a3sim {
namespace {

class HostGcRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_host_events(of, HostKind::kCollect, data.at("least_ms"), data.at("share"));
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    std::vector<Finding> seen = standing_host_events(of, HostKind::kCollect, data);
    return seen.empty() ? unrecorded(of, data) : seen;
  }

 private:
  // Where collections are not recorded: devices that are idle for long while nothing at all is seen of their hosts.
  static std::vector<Finding> unrecorded(const Standing& of, const RuleData& data) {
    Finding finding;
    std::map<std::uint32_t, double> sooner;
    const double least = data.at("unrecorded_ms") * kPicosecondsOfMs;
    std::uint32_t worst = kNone;
    const std::map<std::uint32_t, HostStands> hosts = hosts_of(of);
    for (const auto& [rank, host] : hosts) {
      sooner[rank] = 0;
      if (host.silent < least || host[HostKind::kCollect].count > 0) continue;
      sooner[rank] = host.silent;
      finding.ranks.push_back(rank);
      if (worst == kNone || host.silent > hosts.at(worst).silent) worst = rank;
    }
    if (worst == kNone || stands_for_batches(of, of.shared().at("filled"))) return {};
    finding.lost_ms = of.gain(of.of_all(sooner)) / kPicosecondsOfMs;
    finding.confidence = 1 - data.at("unfilled");
    finding.evidence.push_back({fmt::format("device of rank {} idle, nothing on its host", worst), "ms",
                                hosts.at(worst).silent / kPicosecondsOfMs, data.at("unrecorded_ms"),
                                of.place(worst)});
    finding.missing.emplace_back("collections of garbage on hosts");
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "host.gc", "garbage is collected on the host", HostGcRule);

}  // namespace
}  // namespace a3sim
