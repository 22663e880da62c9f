#include "sim/diagnosis/rules/hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

// What lies between united stretches, from `start` to `end`.
Stretches gaps(const Stretches& busy, Duration start, Duration end) {
  Stretches between;
  for (const auto& [from, to] : busy) {
    if (start < std::min(from, end)) between.emplace_back(start, std::min(from, end));
    start = std::max(start, to);
  }
  if (start < end) between.emplace_back(start, end);
  return between;
}

double length_in(const Stretches& of, Duration start, Duration end) {
  return picoseconds(covered(of, {}, start, end));
}

struct SeenHost {
  Stretches device;
  std::array<std::vector<const HostRecord*>, kCountOf<HostKind>> events;
};

void add_step(const SeenHost& seen, Duration delay, HostStands& sum) {
  Stretches device = seen.device;
  unite(device);
  const Duration start = device.front().first - delay, end = device.back().second;
  const Stretches idle = gaps(device, start, end);
  sum.idle += picoseconds(length_of(idle));
  Stretches all;
  for (std::size_t k = 0; k < seen.events.size(); ++k) {
    HostStands::Kind& kind = sum.kinds[k];
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

// The rank whose device is idle longest while such events are under way; kNone: none.
std::uint32_t worst_of(const std::map<std::uint32_t, HostStands>& hosts, HostKind kind) {
  std::uint32_t worst = kNone;
  for (const auto& [rank, host] : hosts)
    if (host[kind].idle > (worst == kNone ? 0 : hosts.at(worst)[kind].idle)) worst = rank;
  return worst;
}

}  // namespace

std::map<std::uint32_t, HostStands> hosts_of(const Standing& of) {
  std::map<std::uint32_t, HostStands> hosts;
  std::map<std::uint32_t, double> steps;
  for (const FullStep& step : of.full) {
    std::map<std::uint32_t, SeenHost> seen;
    for (const HostRecord& event : step.host)
      if (event.rank < of.mean.size() && event.start < event.end)
        seen[event.rank].events[static_cast<std::size_t>(event.kind)].push_back(&event);
    for (const OperatorRecord& record : step.operators) {
      const auto host = seen.find(record.rank);
      if (host != seen.end() && record.lane != Lane::kHost)
        host->second.device.emplace_back(record.start, record.end);
    }
    for (const auto& [rank, host] : seen) {
      if (host.device.empty()) continue;
      const double delay = std::max(0.0, of.mean[rank][Measure::kDelay]);
      add_step(host, Duration(static_cast<std::int64_t>(delay)), hosts[rank]);
      ++steps[rank];
    }
  }
  for (auto& [rank, host] : hosts) {
    host.idle /= steps[rank];
    for (HostStands::Kind& kind : host.kinds)
      for (double* value : {&kind.idle, &kind.time, &kind.count}) *value /= steps[rank];
  }
  return hosts;
}

bool stands_for_batches(const Standing& of, double filled) {
  const auto empty = std::ranges::count_if(
      of.mean, [&](const RankStep& rank) { return rank.fill[0] >= 0 && rank.fill[0] < filled; });
  return 2 * static_cast<std::size_t>(empty) > of.mean.size();
}

std::vector<Finding> standing_host_events(const Standing& of, HostKind kind, const RuleData& data) {
  const std::map<std::uint32_t, HostStands> hosts = hosts_of(of);
  const std::uint32_t worst = worst_of(hosts, kind);
  if (worst == kNone || stands_for_batches(of, of.shared.at("filled"))) return {};
  const HostStands& host = hosts.at(worst);
  const HostStands::Kind& most = host[kind];
  const double share = most.idle / std::max(1.0, host.idle);
  const double least = std::max(data.at("least_ms") * kPicosecondsOfMs, data.at("standing") * of.took);
  if (most.idle < least || share < data.at("share")) return {};
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (const auto& [rank, other] : hosts) {
    sooner[rank] = other[kind].idle;
    if (other[kind].idle >= least) finding.ranks.push_back(rank);
  }
  finding.lost_ms = of.gain(of.of_all(sooner)) / kPicosecondsOfMs;
  finding.confidence = std::min(1.0, share);
  const std::string place = of.of.place_of(*most.longest);
  finding.add({fmt::format("device of rank {} idle, {} on its host", worst,
                           kind == HostKind::kSync ? "behind sync" : fmt::format("{}", name_of(kind))),
               "ms a step", most.idle / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
  finding.add({fmt::format("{} on the host of rank {}", name_of(kind), worst), "ms a step",
               most.time / kPicosecondsOfMs, data.at("least_ms"), place});
  finding.add({fmt::format("{} on the host of rank {}", name_of(kind), worst), "events a step", most.count, 1,
               place});
  return {finding};
}

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
    fill.rank = key.first;
    fill.place = time.place;
  }
  return fill;
}

}  // namespace a3sim
