#include "traces/rules/host_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

constexpr double kMs = 1e9;  // ps

// Over the means of ranks: of launch lengths, standard deviation over mean.
double spread_of_launches(const Case& of, const HostLag& lag) {
  double sum = 0, count = 0;
  for (const auto& [key, time] : of.host) {
    if (key.second != HostKind::kLaunch || !std::ranges::binary_search(lag.ranks, key.first)) continue;
    sum += time.spread;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

std::vector<Finding> judge_launches(const Case& of, const RuleData& data, bool want_irregular) {
  const HostLag lag = host_lag(of);
  if (!lag.found() || waits_for_batches(of)) return {};
  const auto worst = static_cast<std::uint32_t>(std::ranges::max_element(lag.by_rank) - lag.by_rank.begin());
  const HostFill launches = host_fill(of, HostKind::kLaunch);
  const double share = launches.time / std::max(1.0, lag.most);
  double others = 0;
  for (const HostKind kind : {HostKind::kCompile, HostKind::kSync, HostKind::kCollect, HostKind::kAllocate,
                              HostKind::kLog})
    others = std::max(others, host_fill(of, kind).time);
  if (others > launches.time && others > data.at("others") * lag.most) return {};
  const double spread = spread_of_launches(of, lag);
  const bool irregular = share >= data.at("share") && spread >= data.at("irregular");
  if (irregular != want_irregular) return {};
  const bool seen = std::ranges::any_of(lag.ranks, [&](std::uint32_t r) { return of.recorded(r); });
  if (!seen) return {};  // what the host did then is not known
  Finding finding;
  finding.ranks = lag.ranks;
  finding.confidence = std::min(1.0, lag.most / std::max(1.0, of.excess(Measure::kOwn, worst)));
  if (share >= data.at("share")) {
    finding.evidence.push_back({fmt::format("launches of rank {}", launches.rank), "ms a step more than usual",
                                launches.time / kMs, data.at("share") * lag.most / kMs, launches.place});
    finding.evidence.push_back(
        {"lengths of launches: standard deviation over mean", "", spread, data.at("irregular"), launches.place});
  } else {
    finding.missing.push_back("host events that fill the time before the first launch");
    finding.confidence *= data.at("unfilled");
  }
  finding.evidence.push_back({fmt::format("rank {} waited for its host", worst), "ms a step", lag.most / kMs,
                              0, of.place(worst)});
  return {finding};
}

}  // namespace a3sim
