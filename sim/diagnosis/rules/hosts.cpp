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

// Returns whether syncs of a host are to blame for a gap of its device: it begins during one, or follows one directly. While a
// host waits, it launches nothing that could fill the gap.
bool is_behind_sync(Duration from, Duration to, const Stretches& syncs) {
  constexpr Duration kDirectly(100'000'000);  // 100 us: what the first launch takes until it is felt
  return std::ranges::any_of(
      syncs, [&](const auto& sync) { return sync.first < to && from <= sync.second + kDirectly; });
}

double idle_by_syncs(const Stretches& idle, const Stretches& syncs) {
  double sum = 0;
  for (const auto& [from, to] : idle)
    if (is_behind_sync(from, to, syncs)) sum += picoseconds(to - from);
  return sum;
}

struct HostStretches {
  Stretches device;
  std::array<std::vector<const HostRecord*>, kCountOf<HostKind>> events;
};

void add_step(const HostStretches& seen, Duration delay, HostIdle& sum) {
  Stretches device = seen.device;
  unite(device);
  const Duration start = device.front().first - delay, end = device.back().second;
  const Stretches idle = gaps(device, start, end);
  sum.idle += picoseconds(length_of(idle));
  Stretches all, syncs;
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
      kind.idle += std::min(time, idle_by_syncs(idle, stretches));
      syncs = stretches;
      continue;
    }
    for (const auto& [from, to] : stretches)
      kind.idle += length_in(idle, std::max(from, start), std::min(to, end));
  }
  unite(all);
  // The delay is a mean over steps: what is silent begins where something of this step is seen.
  const Duration seen_from =
      all.empty() ? device.front().first : std::min(all.front().first, device.front().first);
  for (const auto& [from, to] : idle)
    if (!is_behind_sync(from, to, syncs))
      for (const auto& [a, b] : gaps(all, std::max(from, seen_from), to))
        sum.silent = std::max(sum.silent, picoseconds(b - a));
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
    std::map<std::uint32_t, HostStretches> seen;
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
  std::map<std::uint32_t, HostIdle> hosts = host_idle_times(job);
  // A host waits for a device that waits for other ranks, too.
  if (kind == HostKind::kSync)
    std::erase_if(hosts, [&](const auto& host) { return !job.observation.exchanges_seen(host.first); });
  const std::uint32_t worst = worst_of(hosts, kind);
  if (worst == kNone || most_wait_for_batches(job, job.shared.at("filled"))) return {};
  const HostIdle& host = hosts.at(worst);
  const HostIdle::Kind& most = host[kind];
  const double share = most.idle / std::max(1.0, host.idle);
  const double felt = felt_time(data, job.shared, job.took);
  const double least = std::max(felt, data.at("standing") * job.took);
  if (most.idle < least || share < data.at("share")) return {};
  Finding finding;
  std::map<std::uint32_t, double> sooner;
  for (const auto& [rank, other] : hosts) {
    sooner[rank] = other[kind].idle;
    if (other[kind].idle >= least) finding.ranks.push_back(rank);
  }
  finding.lost_ms = job.gain(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
  finding.explains = std::min(1.0, share);
  const RecordPlace place = job.observation.place_of(*most.longest);
  finding.add({fmt::format("the device of rank {} idles for {{}}, {} on its host", worst,
                           kind == HostKind::kSync ? "behind sync" : fmt::format("{}", name_of(kind))),
               "ms per step", most.idle / kPicosecondsOfMs, least / kPicosecondsOfMs, place});
  finding.add({fmt::format("{} on the host of rank {} takes {{}}", name_of(kind), worst), "ms per step",
               most.time / kPicosecondsOfMs, felt / kPicosecondsOfMs, place});
  finding.add({fmt::format("{} on the host of rank {} has {{}}", name_of(kind), worst), "events per step",
               most.count, 1, place});
  return {finding};
}

namespace {

// Returns how much longer than usual a rank waits for its host, by means over these steps.
double wait_of(const Slowdown& slowdown, const std::vector<RankStep>& mean, std::uint32_t rank) {
  const RankStep &now = mean[rank], &usual = slowdown.located.healthy[rank];
  return std::max(
      {0.0, now[Measure::kDelay] - usual[Measure::kDelay], now[Measure::kLate] - usual[Measure::kLate]});
}

// Chooses the ranks that wait: at least `of_own` of the step's lag, and nearly as long as the longest wait. Uses
// the recorded steps, the mean over all steps, and the longest wait in any step, because a fault that moves
// from rank to rank does not affect all of them while it is recorded, and one that comes by chance affects some
// of them once. `is_of` selects ranks.
template <class IsOf>
void choose_ranks(const Slowdown& slowdown, const IsOf& is_of, HostLag& lag) {
  const auto in_mean = [&](std::uint32_t r) { return wait_of(slowdown, slowdown.episode.mean, r); };
  const auto in_any = [&](std::uint32_t r) { return wait_of(slowdown, slowdown.episode.most, r); };
  double most_in_mean = 0, most_in_any = 0;
  for (std::uint32_t r = 0; r < lag.by_rank.size(); ++r) {
    lag.most = std::max(lag.most, lag.by_rank[r]);
    if (is_of(r)) most_in_mean = std::max(most_in_mean, in_mean(r));
    if (is_of(r)) most_in_any = std::max(most_in_any, in_any(r));
  }
  const double least = slowdown.shared.at("host_share") * slowdown.usual();
  if (lag.most < least || lag.most < slowdown.shared.at("host_of_own") * slowdown.own_lag()) return;
  const double among = slowdown.shared.at("host_among");
  for (std::uint32_t r = 0; r < lag.by_rank.size(); ++r)
    if (lag.by_rank[r] > among * lag.most ||
        (is_of(r) && (in_mean(r) > among * most_in_mean || in_any(r) > std::max(least, among * most_in_any))))
      lag.ranks.push_back(r);
}

// Returns the time by which such events of a rank grew, in ps per step.
double growth(const Slowdown& slowdown, std::uint32_t rank, HostKind kind) {
  const auto found = slowdown.host.find({rank, kind});
  return found == slowdown.host.end() ? 0 : std::max(0.0, found->second.time);
}

}  // namespace

HostLag host_lag(const Slowdown& slowdown) {
  HostLag lag;
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r)
    lag.by_rank.push_back(wait_of(slowdown, slowdown.episode.seen, r));
  choose_ranks(slowdown, [](std::uint32_t) { return true; }, lag);
  return lag;
}

HostLag host_lag_beside_batches(const Slowdown& slowdown) {
  const HostLag all = host_lag(slowdown);
  const auto is_of = [&](std::uint32_t r) { return io_stage(slowdown, all, r) == IoStage::kNone; };
  HostLag lag;
  lag.by_rank = all.by_rank;
  for (std::uint32_t r = 0; r < lag.by_rank.size(); ++r)
    if (!is_of(r)) lag.by_rank[r] = 0;
  choose_ranks(slowdown, is_of, lag);
  return lag;
}

double recorded_wait(const Slowdown& slowdown, std::uint32_t rank) {
  double waited = 0, steps = 0;
  for (std::size_t s = 0; s < slowdown.full.size(); ++s) {
    const std::vector<std::uint32_t>& ranks = slowdown.full[s].ranks;
    if (std::ranges::find(ranks, rank) == ranks.end()) continue;
    waited += wait_of(slowdown, slowdown.episode.seen_each[s], rank);
    ++steps;
  }
  return steps > 0 ? waited / steps : 0;
}

bool waits_like(const Slowdown& slowdown, std::uint32_t rank, std::uint32_t like) {
  constexpr double kAlike = 0.5;
  const double least = slowdown.shared.at("host_share") * slowdown.usual();
  std::size_t steps = 0, alike = 0;
  for (const std::vector<RankStep>& seen : slowdown.episode.seen_each) {
    const double its = wait_of(slowdown, seen, like);
    if (its < least) continue;
    ++steps;
    alike += wait_of(slowdown, seen, rank) > kAlike * its;
  }
  return 2 * alike >= steps;
}

double grown_in_turn(const Slowdown& slowdown, std::uint32_t rank) {
  double sum = 0;
  for (const HostKind kind : {HostKind::kLaunch, HostKind::kCompile, HostKind::kSync, HostKind::kCollect,
                              HostKind::kAllocate, HostKind::kLog})
    sum += growth(slowdown, rank, kind);
  return sum;
}

double filled_part(const Slowdown& slowdown, std::uint32_t rank, HostKind kind) {
  const double waited = recorded_wait(slowdown, rank);
  return waited > 0 ? growth(slowdown, rank, kind) / waited : 0;
}

std::vector<std::uint32_t> without_others(const Slowdown& slowdown, std::vector<std::uint32_t> ranks,
                                          HostKind kind) {
  const double least = slowdown.shared.at("host_share") * slowdown.usual();
  std::erase_if(ranks, [&](std::uint32_t r) {
    return recorded_wait(slowdown, r) > least &&
           filled_part(slowdown, r, kind) < slowdown.shared.at("host_among");
  });
  return ranks;
}

std::pair<std::size_t, std::size_t> host_steps(const Slowdown& slowdown,
                                               const std::vector<std::uint32_t>& ranks) {
  const std::vector<std::vector<float>>& waits = slowdown.episode.host_waits;
  const double felt = slowdown.shared.at("host_share") * slowdown.usual();
  std::size_t first = waits.size(), last = 0;
  for (const std::uint32_t rank : ranks) {
    const RankStep& healthy = slowdown.located.healthy[rank];
    const double usual = std::max(healthy[Measure::kDelay], healthy[Measure::kLate]);
    for (std::size_t s = 0; s < waits.size(); ++s) {
      if (static_cast<double>(waits[s][rank]) - usual < felt) continue;
      first = std::min(first, s);
      last = std::max(last, s + 1);
    }
  }
  return first < last ? std::pair(first, last) : std::pair<std::size_t, std::size_t>();
}

bool batches_were_ready(const Slowdown& slowdown) {
  return std::ranges::all_of(host_lag(slowdown).ranks, [&](std::uint32_t r) {
    return slowdown.episode.mean[r].fill[0] >= slowdown.shared.at("filled");
  });
}

IoStage io_stage(const Slowdown& slowdown, const HostLag& lag, std::uint32_t rank) {
  const std::array<double, 3>& fill = slowdown.episode.mean[rank].fill;
  if (fill[0] >= 0) return io_stage(fill, slowdown.shared.at("filled"));
  constexpr std::pair<HostKind, IoStage> kStages[] = {{HostKind::kFetch, IoStage::kUndecided},
                                                      {HostKind::kProcess, IoStage::kProcess},
                                                      {HostKind::kRead, IoStage::kRead}};
  double most = 0, others = 0;
  IoStage stage = IoStage::kNone;
  for (const auto& [kind, its] : kStages) {
    const double grew = growth(slowdown, rank, kind);
    if (grew <= most) continue;
    most = grew;
    stage = its;
  }
  for (std::size_t k = 0; k < kCountOf<HostKind>; ++k) {
    const auto kind = static_cast<HostKind>(k);
    const bool of_loader = kind == HostKind::kRead || kind == HostKind::kProcess || kind == HostKind::kFetch;
    if (!of_loader && kind != HostKind::kOther) others = std::max(others, growth(slowdown, rank, kind));
  }
  const bool fills = most > others && most >= slowdown.shared.at("loader_fills") * lag.by_rank[rank];
  return fills && lag.by_rank[rank] > 0 ? stage : IoStage::kNone;
}

HostFill host_fill(const Slowdown& slowdown, const HostLag& lag, HostKind kind) {
  HostFill fill;
  for (const auto& [key, time] : slowdown.host) {
    if (key.second != kind || time.time <= fill.time || lag.by_rank[key.first] <= 0) continue;
    fill.time = time.time;
    fill.rank = key.first;
    fill.place = time.place;
  }
  return fill;
}

}  // namespace a3sim
