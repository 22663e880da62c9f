#include "traces/rules/standing_host.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/analysis/stretches.h"
#include "traces/rules/host_launches.h"

namespace a3sim {
namespace {

double picoseconds_of(Duration time) { return static_cast<double>(time.count()); }

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
  return picoseconds_of(covered(of, {}, start, end));
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
  sum.idle += picoseconds_of(length_of(idle));
  Stretches all;
  for (std::size_t k = 0; k < seen.events.size(); ++k) {
    HostStands::Kind& kind = sum.kinds[k];
    Stretches stretches;
    for (const HostRecord* event : seen.events[k]) {
      stretches.emplace_back(event->start, event->end);
      kind.count += event->count;
      if (!kind.longest || event->end - event->start > kind.longest->end - kind.longest->start)
        kind.longest = event;
    }
    unite(stretches);
    all.insert(all.end(), stretches.begin(), stretches.end());
    const double time = picoseconds_of(length_of(stretches));
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
    for (const auto& [a, b] : gaps(all, from, to)) sum.silent = std::max(sum.silent, picoseconds_of(b - a));
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
  for (const FullStep& step : of.full()) {
    std::map<std::uint32_t, SeenHost> seen;
    for (const HostRecord& event : step.host)
      if (event.rank < of.mean().size() && event.start < event.end)
        seen[event.rank].events[static_cast<std::size_t>(event.kind)].push_back(&event);
    for (const OperatorRecord& record : step.operators) {
      const auto host = seen.find(record.rank);
      if (host != seen.end() && record.lane != Lane::kHost)
        host->second.device.emplace_back(record.start, record.end);
    }
    for (const auto& [rank, host] : seen) {
      if (host.device.empty()) continue;
      const double delay = std::max(0.0, of.mean()[rank][Measure::kDelay]);
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
      of.mean(), [&](const RankStep& rank) { return rank.fill[0] >= 0 && rank.fill[0] < filled; });
  return 2 * static_cast<std::size_t>(empty) > of.mean().size();
}

std::vector<Finding> standing_host_events(const Standing& of, HostKind kind, const RuleData& data) {
  const std::map<std::uint32_t, HostStands> hosts = hosts_of(of);
  const std::uint32_t worst = worst_of(hosts, kind);
  if (worst == kNone || stands_for_batches(of, of.shared().at("filled"))) return {};
  const HostStands& host = hosts.at(worst);
  const HostStands::Kind& most = host[kind];
  const double share = most.idle / std::max(1.0, host.idle);
  const double least = std::max(data.at("least_ms") * kPicosecondsOfMs, data.at("standing") * of.took());
  if (most.idle < least || share < data.at("share")) return {};
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (const auto& [rank, other] : hosts) {
    sooner[rank] = other[kind].idle;
    if (other[kind].idle >= least) finding.ranks.push_back(rank);
  }
  finding.lost_ms = of.gain(of.of_all(sooner)) / kPicosecondsOfMs;
  finding.confidence = std::min(1.0, share);
  const std::string place = of.of().place_of(*most.longest);
  finding.evidence.push_back(
      {fmt::format("device of rank {} idle, {} on its host", worst,
                   kind == HostKind::kSync ? "behind sync" : fmt::format("{}", name_of(kind))),
       "ms a step", most.idle / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
  finding.evidence.push_back({fmt::format("{} on the host of rank {}", name_of(kind), worst), "ms a step",
                              most.time / kPicosecondsOfMs, data.at("least_ms"), place});
  finding.evidence.push_back({fmt::format("{} on the host of rank {}", name_of(kind), worst), "events a step",
                              most.count, 1, place});
  return {finding};
}

std::vector<Finding> standing_launches(const Standing& of, const RuleData& data, bool want_irregular) {
  std::map<std::uint32_t, std::vector<double>> lengths;
  for (const FullStep& step : of.full())
    for (const HostRecord& event : step.host)
      if (event.kind == HostKind::kLaunch)
        lengths[event.rank].push_back(picoseconds_of(event.end - event.start));
  const double spread = spread_of_lengths(lengths);
  if ((spread >= data.at("irregular")) != want_irregular) return {};
  std::vector<Finding> findings = standing_host_events(of, HostKind::kLaunch, data);
  for (Finding& finding : findings)
    finding.evidence.push_back({"lengths of launches: standard deviation over mean", "", spread,
                                data.at("irregular"), finding.evidence.front().place});
  return findings;
}

}  // namespace a3sim
