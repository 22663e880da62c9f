#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// Returns the coefficient of variation of launch lengths around each rank's mean. `lengths` has one entry per
// rank.
double spread_of_lengths(const std::map<std::uint32_t, std::vector<double>>& lengths) {
  double squares = 0, count = 0;
  for (const auto& [rank, times] : lengths) {
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    for (const double time : times) squares += mean > 0 ? (time / mean - 1) * (time / mean - 1) : 0;
    count += static_cast<double>(times.size());
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

// Returns the same for the ranks whose launches take longer than usual.
double spread_of_launches(const Slowdown& slowdown, const HostLag& lag) {
  constexpr double kAmong = 0.1;  // part of the largest growth
  const double most = host_fill(slowdown, lag, HostKind::kLaunch).time;
  std::map<std::uint32_t, std::vector<double>> lengths;
  for (const FullStep& step : slowdown.full) {
    for (const HostRecord& record : step.host) {
      const auto found = slowdown.host.find({record.rank, HostKind::kLaunch});
      if (record.kind != HostKind::kLaunch || found == slowdown.host.end() ||
          found->second.time < kAmong * most)
        continue;
      lengths[record.rank].push_back(picoseconds(record.length()));
    }
  }
  return spread_of_lengths(lengths);
}

// Long launches. Regular ones are caused by the host itself, irregular ones by another process of the node.
class HostLaunchRule final : public CauseRule {
 public:
  explicit HostLaunchRule(bool irregular) : irregular_(irregular) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const HostLag lag = host_lag_beside_batches(slowdown);
    if (!lag.found()) return {};
    const auto worst =
        static_cast<std::uint32_t>(std::ranges::max_element(lag.by_rank) - lag.by_rank.begin());
    const HostFill launches = host_fill(slowdown, lag, HostKind::kLaunch);
    const double share = launches.time / std::max(1.0, lag.most);
    double others = 0;
    for (const HostKind kind :
         {HostKind::kCompile, HostKind::kSync, HostKind::kCollect, HostKind::kAllocate, HostKind::kLog})
      others = std::max(others, host_fill(slowdown, lag, kind).time);
    if (others > launches.time && others > data.at("others") * lag.most) return {};
    const double spread = spread_of_launches(slowdown, lag);
    const bool irregular = share >= data.at("share") && spread >= data.at("irregular");
    if (irregular != irregular_) return {};
    const bool seen = std::ranges::any_of(lag.ranks, [&](std::uint32_t r) { return slowdown.recorded(r); });
    if (!seen) return {};  // the host was not recorded
    Finding finding;
    finding.ranks = lag.ranks;
    finding.explains = std::min(1.0, lag.most / slowdown.own_lag());
    if (share >= data.at("share")) {
      finding.add({fmt::format("launches of rank {}", launches.rank), "ms a step more than usual",
                   launches.time / kPicosecondsOfMs, data.at("share") * lag.most / kPicosecondsOfMs,
                   launches.place});
      finding.add({"lengths of launches: standard deviation over mean", "", spread, data.at("irregular"),
                   launches.place});
    } else {
      finding.missing.push_back("host events that fill the time before the first launch");
      finding.doubt = 1 - data.at("unfilled");
    }
    finding.add({fmt::format("rank {} waited for its host", worst), "ms a step", lag.most / kPicosecondsOfMs,
                 0, slowdown.place(worst)});
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    std::map<std::uint32_t, std::vector<double>> lengths;
    for (const FullStep& step : job.full)
      for (const HostRecord& event : step.host)
        if (event.kind == HostKind::kLaunch) lengths[event.rank].push_back(picoseconds(event.length()));
    const double spread = spread_of_lengths(lengths);
    if ((spread >= data.at("irregular")) != irregular_) return {};
    std::vector<Finding> findings = steady_host_events(job, HostKind::kLaunch, data);
    for (Finding& finding : findings)
      finding.add({"lengths of launches: standard deviation over mean", "", spread, data.at("irregular"),
                   finding.evidence.front().place});
    return findings;
  }

 private:
  bool irregular_;
};

A3SIM_REGISTER(CauseRule, "host.contention", "launches are irregular, as something else runs on the node",
               HostLaunchRule(true));
A3SIM_REGISTER(CauseRule, "host.dispatch", "launches come later than the device asks for them",
               HostLaunchRule(false));

}  // namespace
}  // namespace a3sim
