#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// Host events of one kind that fill the time in which devices wait for their hosts.
class HostEventRule : public CauseRule {
 public:
  explicit HostEventRule(HostKind kind) : kind_(kind) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const double least = felt_time(data, slowdown.shared, slowdown.usual());
    const HostLag lag = host_lag_beside_batches(slowdown);
    if (!lag.found()) return {};
    const HostFill fill = host_fill(slowdown, lag, kind_);
    if (fill.time < least) return {};
    // The part of the waiting time that the events fill on the rank where they fill most, beside what else its host did.
    const double waited = std::max(1.0, lag.by_rank[fill.rank]);
    const double filled = std::min(1.0, fill.time / std::max(waited, grown_in_turn(slowdown, fill.rank)));
    if (filled < data.at("share")) return {};
    Finding finding;
    finding.ranks = without_others(slowdown, lag.ranks, kind_);
    // Adds ranks whose events are hidden behind those of others: events of the same kind that last about as
    // long.
    const auto most = slowdown.longest_event.find({fill.rank, kind_});
    for (std::uint32_t r = 0; r < slowdown.observation.ranks() && most != slowdown.longest_event.end(); ++r) {
      const auto its = slowdown.longest_event.find({r, kind_});
      if (its != slowdown.longest_event.end() &&
          its->second > slowdown.shared.at("host_alike") * most->second)
        finding.ranks.push_back(r);
    }
    std::ranges::sort(finding.ranks);
    finding.ranks.erase(std::ranges::unique(finding.ranks).begin(), finding.ranks.end());
    finding.explains = std::min(1.0, filled * waited / slowdown.own_lag());
    finding.add({fmt::format("{} on the host of rank {} takes {{}}", name_of(kind_), fill.rank),
                 "ms per step", fill.time / kPicosecondsOfMs, least / kPicosecondsOfMs, fill.place});
    finding.add(
        {fmt::format("rank {} waits {{}} for its host", fill.rank), "ms per step", waited / kPicosecondsOfMs,
         slowdown.shared.at("host_share") * slowdown.usual() / kPicosecondsOfMs, slowdown.place(fill.rank)});
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    return steady_host_events(job, kind_, data);
  }

 private:
  HostKind kind_;
};

class HostGcRule final : public HostEventRule {
 public:
  HostGcRule() : HostEventRule(HostKind::kCollect) {}
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    std::vector<Finding> seen = HostEventRule::diagnose_steady_state(job, data);
    return seen.empty() ? unrecorded(job, data) : seen;
  }

 private:
  // Finds garbage collections that were not recorded: devices are idle for a long time while their hosts show
  // no event.
  static std::vector<Finding> unrecorded(const SteadyState& job, const RuleData& data) {
    Finding finding;
    std::map<std::uint32_t, double> sooner;
    const double least =
        std::min(data.at("unrecorded_ms") * kPicosecondsOfMs, data.at("unrecorded") * job.took);
    std::uint32_t worst = kNone;
    const std::map<std::uint32_t, HostIdle> hosts = host_idle_times(job);
    for (const auto& [rank, host] : hosts) {
      sooner[rank] = 0;
      if (!job.observation.exchanges_seen(rank)) continue;
      // A device that waits for other ranks is idle, too.
      const double silent = host.silent - job.mean[rank][Measure::kWaited];
      if (silent < least || host[HostKind::kCollect].count > 0) continue;
      sooner[rank] = silent;
      finding.ranks.push_back(rank);
      if (worst == kNone || silent > sooner[worst]) worst = rank;
    }
    if (worst == kNone || most_wait_for_batches(job, job.shared.at("filled"))) return {};
    finding.lost_ms = job.gain(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
    finding.explains = 1;
    finding.doubt = data.at("unfilled");
    finding.add({fmt::format("the device of rank {} idles for {{}} while its host does nothing", worst), "ms",
                 sooner[worst] / kPicosecondsOfMs, least / kPicosecondsOfMs, job.place(worst)});
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
