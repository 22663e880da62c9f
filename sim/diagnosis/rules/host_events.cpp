#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// Events of a kind that fill the time in which devices waited for their hosts.
class HostEventRule : public CauseRule {
 public:
  explicit HostEventRule(HostKind kind) : kind_(kind) {}

  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    const double least_ms = data.at("least_ms");
    const HostLag lag = host_lag(of);
    if (!lag.found() || waits_for_batches(of)) return {};
    const HostFill fill = host_fill(of, kind_);
    if (fill.time < least_ms * kPicosecondsOfMs) return {};
    // Another kind_ that fills more of the time is the cause.
    for (std::size_t k = 0; k < kCountOf<HostKind>; ++k) {
      const auto other = static_cast<HostKind>(k);
      const bool batches =
          other == HostKind::kRead || other == HostKind::kProcess || other == HostKind::kFetch;
      if (other != kind_ && !batches && host_fill(of, other).time > fill.time) return {};
    }
    // Of the slow steps of the rank that has them.
    const double waited = std::max(1.0, lag.by_rank[fill.rank]);
    const double filled = std::min(1.0, fill.time / waited);
    if (filled < data.at("share")) return {};
    Finding finding;
    finding.ranks = lag.ranks;
    // Whose events others' hide: the same kind_, about as long.
    const auto most = of.longest_event.find({fill.rank, kind_});
    for (std::uint32_t r = 0; r < of.of.ranks() && most != of.longest_event.end(); ++r) {
      const auto its = of.longest_event.find({r, kind_});
      if (its != of.longest_event.end() && its->second > of.shared.at("host_alike") * most->second)
        finding.ranks.push_back(r);
    }
    std::ranges::sort(finding.ranks);
    finding.ranks.erase(std::ranges::unique(finding.ranks).begin(), finding.ranks.end());
    finding.confidence = filled;
    finding.add({fmt::format("{} on the host of rank {}", name_of(kind_), fill.rank), "ms a step",
                 fill.time / kPicosecondsOfMs, least_ms, fill.place});
    finding.add({fmt::format("rank {} waited for its host", fill.rank), "ms a step",
                 waited / kPicosecondsOfMs, of.shared.at("host_share") * of.usual() / kPicosecondsOfMs,
                 of.place(fill.rank)});
    return {finding};
  }

  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_host_events(of, kind_, data);
  }

 private:
  HostKind kind_;
};

class HostGcRule final : public HostEventRule {
 public:
  HostGcRule() : HostEventRule(HostKind::kCollect) {}
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    std::vector<Finding> seen = HostEventRule::stands(of, data);
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
    if (worst == kNone || stands_for_batches(of, of.shared.at("filled"))) return {};
    finding.lost_ms = of.gain(of.of_all(sooner)) / kPicosecondsOfMs;
    finding.confidence = 1 - data.at("unfilled");
    finding.add({fmt::format("device of rank {} idle, nothing on its host", worst), "ms",
                 hosts.at(worst).silent / kPicosecondsOfMs, data.at("unrecorded_ms"), of.place(worst)});
    finding.missing.emplace_back("collections of garbage on hosts");
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "host.compile", "operators are compiled anew", HostEventRule(HostKind::kCompile));
A3SIM_REGISTER(CauseRule, "host.environment", "the host logs too much, or to a remote disk",
               HostEventRule(HostKind::kLog));
A3SIM_REGISTER(CauseRule, "host.gc", "garbage is collected on the host", HostGcRule);
A3SIM_REGISTER(CauseRule, "host.memory", "device memory is allocated and freed",
               HostEventRule(HostKind::kAllocate));
A3SIM_REGISTER(CauseRule, "host.sync", "the host waits for the device", HostEventRule(HostKind::kSync));

}  // namespace
}  // namespace a3sim
