#include "sim/diagnosis/rules/hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

// Returns the gaps between united stretches from `start` to `end`.
Stretches gaps(const Stretches& busy, Duration start, Duration end) {
  Stretches between;
  for (const auto& [from, to] : busy) {
    if (start < std::min(from, end)) between.emplace_back(start, std::min(from, end));
    start = std::max(start, to);
  }
  if (start < end) between.emplace_back(start, end);
  return between;
}

double length_in(const Stretches& stretches, Duration start, Duration end) {
  return picoseconds(covered(stretches, {}, start, end));
}

struct SeenHost {
  Stretches device;
  std::array<std::vector<const HostRecord*>, kCountOf<HostKind>> events;
};

void add_step(const SeenHost& seen, Duration delay, HostIdle& sum) {
  Stretches device = seen.device;
  unite(device);
  const Duration start = device.front().first - delay, end = device.back().second;
  const Stretches idle = gaps(device, start, end);
  sum.idle += picoseconds(length_of(idle));
  Stretches all;
  for (std::size_t k = 0; k < seen.events.size(); ++k) {
    HostIdle::Kind& kind = sum.kinds[k];
    Stretches stretches;
    for (const HostRecord* event : seen.events[k]) {
      stretches.emplace_back(event->start, event->end);
      kind.count += event->count;
      if (!kind.longest || event->length() > kind.longest->length()) kind.longest = event;
    }
    unite(stretches);
    all.insert(all.end(), stretches.begin(), stretches.end());
    const double time = picoseconds(length_of(stretches));
    kind.time += time;
    if (static_cast<HostKind>(k) == HostKind::kSync) {
      if (!stretches.empty())
        kind.idle += std::min(time, length_in(idle, std::max(start, stretches.front().first), end));
      continue;
    }
    for (const auto& [from, to] : stretches)
      kind.idle += length_in(idle, std::max(from, start), std::min(to, end));
  }
  unite(all);
  for (const auto& [from, to] : idle)
    for (const auto& [a, b] : gaps(all, from, to)) sum.silent = std::max(sum.silent, picoseconds(b - a));
}

// Returns the rank whose device is idle longest during such events, or kNone.
std::uint32_t worst_of(const std::map<std::uint32_t, HostIdle>& hosts, HostKind kind) {
  std::uint32_t worst = kNone;
  for (const auto& [rank, host] : hosts)
    if (host[kind].idle > (worst == kNone ? 0 : hosts.at(worst)[kind].idle)) worst = rank;
  return worst;
}

}  // namespace

std::map<std::uint32_t, HostIdle> host_idle_times(const SteadyState& job) {
  std::map<std::uint32_t, HostIdle> hosts;
  std::map<std::uint32_t, double> steps;
  for (const FullStep& step : job.full) {
    std::map<std::uint32_t, SeenHost> seen;
    for (const HostRecord& event : step.host)
      if (event.rank < job.mean.size() && event.start < event.end)
        seen[event.rank].events[static_cast<std::size_t>(event.kind)].push_back(&event);
    for (const OperatorRecord& record : step.operators) {
      const auto host = seen.find(record.rank);
      if (host != seen.end() && record.lane != Lane::kHost)
        host->second.device.emplace_back(record.start, record.end);
    }
    for (const auto& [rank, host] : seen) {
      if (host.device.empty()) continue;
      const double delay = std::max(0.0, job.mean[rank][Measure::kDelay]);
      add_step(host, Duration(static_cast<std::int64_t>(delay)), hosts[rank]);
      ++steps[rank];
    }
  }
  for (auto& [rank, host] : hosts) {
    host.idle /= steps[rank];
    for (HostIdle::Kind& kind : host.kinds)
      for (double* value : {&kind.idle, &kind.time, &kind.count}) *value /= steps[rank];
  }
  return hosts;
}

bool most_wait_for_batches(const SteadyState& job, double filled) {
  const auto empty = std::ranges::count_if(
      job.mean, [&](const RankStep& rank) { return rank.fill[0] >= 0 && rank.fill[0] < filled; });
  return 2 * static_cast<std::size_t>(empty) > job.mean.size();
}

std::vector<Finding> steady_host_events(const SteadyState& job, HostKind kind, const RuleData& data) {
  const std::map<std::uint32_t, HostIdle> hosts = host_idle_times(job);
  const std::uint32_t worst = worst_of(hosts, kind);
  if (worst == kNone || most_wait_for_batches(job, job.shared.at("filled"))) return {};
  const HostIdle& host = hosts.at(worst);
  const HostIdle::Kind& most = host[kind];
  const double share = most.idle / std::max(1.0, host.idle);
  const double least = std::max(data.at("least_ms") * kPicosecondsOfMs, data.at("standing") * job.took);
  if (most.idle < least || share < data.at("share")) return {};
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (const auto& [rank, other] : hosts) {
    sooner[rank] = other[kind].idle;
    if (other[kind].idle >= least) finding.ranks.push_back(rank);
  }
  finding.lost_ms = job.gain(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
  finding.confidence = std::min(1.0, share);
  const RecordPlace place = job.observation.place_of(*most.longest);
  finding.add({fmt::format("device of rank {} idle, {} on its host", worst,
                           kind == HostKind::kSync ? "behind sync" : fmt::format("{}", name_of(kind))),
               "ms a step", most.idle / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
  finding.add({fmt::format("{} on the host of rank {}", name_of(kind), worst), "ms a step",
               most.time / kPicosecondsOfMs, data.at("least_ms"), place});
  finding.add({fmt::format("{} on the host of rank {}", name_of(kind), worst), "events a step", most.count, 1,
               place});
  return {finding};
}

HostLag host_lag(const Slowdown& slowdown) {
  HostLag lag;
  double own = 0;
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r) {
    lag.by_rank.push_back(std::max(slowdown.excess(Measure::kDelay, r), slowdown.excess(Measure::kLate, r)));
    lag.most = std::max(lag.most, lag.by_rank.back());
    own = std::max(own, slowdown.excess(Measure::kOwn, r));
  }
  if (lag.most < slowdown.shared.at("host_share") * slowdown.usual() ||
      lag.most < slowdown.shared.at("host_of_own") * own)
    return lag;
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r)
    if (lag.by_rank[r] > slowdown.shared.at("host_among") * lag.most) lag.ranks.push_back(r);
  return lag;
}

bool waits_for_batches(const Slowdown& slowdown) {
  const HostLag lag = host_lag(slowdown);
  return lag.found() && std::ranges::all_of(lag.ranks, [&](std::uint32_t r) {
           const double fill = slowdown.episode.mean[r].fill[0];
           return fill >= 0 && fill < slowdown.shared.at("filled");
         });
}

HostFill host_fill(const Slowdown& slowdown, HostKind kind) {
  HostFill fill;
  for (const auto& [key, time] : slowdown.host) {
    if (key.second != kind || time.time <= fill.time) continue;
    fill.time = time.time;
    fill.rank = key.first;
    fill.place = time.place;
  }
  return fill;
}

}  // namespace a3sim
