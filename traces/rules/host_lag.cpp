#include "traces/rules/host_lag.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

constexpr double kMillisecond = 1e9;  // ps

}  // namespace

HostLag host_lag(const Case& of) {
  HostLag lag;
  double own = 0;
  for (std::uint32_t r = 0; r < of.of.ranks(); ++r) {
    lag.by_rank.push_back(std::max(of.excess(Measure::kDelay, r), of.excess(Measure::kLate, r)));
    lag.most = std::max(lag.most, lag.by_rank.back());
    own = std::max(own, of.excess(Measure::kOwn, r));
  }
  if (lag.most < of.shared.at("host_share") * of.usual() || lag.most < of.shared.at("host_of_own") * own)
    return lag;
  for (std::uint32_t r = 0; r < of.of.ranks(); ++r)
    if (lag.by_rank[r] > of.shared.at("host_among") * lag.most) lag.ranks.push_back(r);
  return lag;
}

bool waits_for_batches(const Case& of) {
  const HostLag lag = host_lag(of);
  return lag.found() && std::ranges::all_of(lag.ranks, [&](std::uint32_t r) {
           const double fill = of.episode.mean[r].fill[0];
           return fill >= 0 && fill < of.shared.at("filled");
         });
}

HostFill host_fill(const Case& of, HostKind kind) {
  HostFill fill;
  for (const auto& [key, time] : of.host) {
    if (key.second != kind || time.time <= fill.time) continue;
    fill.time = time.time;
    fill.count = time.count;
    fill.rank = key.first;
    fill.place = time.place;
  }
  return fill;
}

std::vector<Finding> judge_host_events(const Case& of, HostKind kind, double least_ms, double share) {
  const HostLag lag = host_lag(of);
  if (!lag.found() || waits_for_batches(of)) return {};
  const HostFill fill = host_fill(of, kind);
  if (fill.time < least_ms * kMillisecond) return {};
  // Another kind that fills more of the time is the cause.
  for (std::size_t k = 0; k < kCountOf<HostKind>; ++k) {
    const auto other = static_cast<HostKind>(k);
    const bool batches = other == HostKind::kRead || other == HostKind::kProcess || other == HostKind::kFetch;
    if (other != kind && !batches && host_fill(of, other).time > fill.time) return {};
  }
  // Of the slow steps of the rank that has them.
  const double waited = std::max(1.0, lag.by_rank[fill.rank]);
  const double filled = std::min(1.0, fill.time / waited);
  if (filled < share) return {};
  Finding finding;
  finding.ranks = lag.ranks;
  // Whose events others' hide: the same kind, about as long.
  const auto most = of.longest_event.find({fill.rank, kind});
  for (std::uint32_t r = 0; r < of.of.ranks() && most != of.longest_event.end(); ++r) {
    const auto its = of.longest_event.find({r, kind});
    if (its != of.longest_event.end() && its->second > of.shared.at("host_alike") * most->second)
      finding.ranks.push_back(r);
  }
  std::ranges::sort(finding.ranks);
  finding.ranks.erase(std::ranges::unique(finding.ranks).begin(), finding.ranks.end());
  finding.confidence = filled;
  finding.evidence.push_back({fmt::format("{} on the host of rank {}", name_of(kind), fill.rank), "ms a step",
                              fill.time / kMillisecond, least_ms, fill.place});
  finding.evidence.push_back({fmt::format("rank {} waited for its host", fill.rank), "ms a step",
                              waited / kMillisecond, of.shared.at("host_share") * of.usual() / kMillisecond,
                              of.place(fill.rank)});
  return {finding};
}

}  // namespace a3sim
