#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/profile_means.h"
#include "sim/diagnosis/rules/rule.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

// The longest time in which nothing runs on a rank, and the operator after it.
struct Gap {
  Duration length{};
  const OperatorRecord* behind = nullptr;
};

Gap longest_gap(const std::vector<FullStep>& steps, std::uint32_t rank) {
  Gap longest;
  for (const FullStep& step : steps) {
    std::vector<const OperatorRecord*> records;
    for (const OperatorRecord& record : step.operators)
      if (record.rank == rank) records.push_back(&record);
    std::ranges::stable_sort(records, {}, [](const OperatorRecord* record) { return record->start; });
    Duration busy = records.empty() ? Duration::zero() : records.front()->start;
    for (const OperatorRecord* record : records) {
      if (record->start - busy > longest.length) longest = {record->start - busy, record};
      busy = std::max(busy, record->end);
    }
  }
  return longest;
}

// Devices on which nothing runs, where it was not recorded what their hosts did, or when they waited for other ranks.
class DeviceIdleRule final : public CauseRule {
 public:
  // Finds ranks that are idle for longer than usual, if neither batches nor events of their hosts fill the time.
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const Observation& observation = slowdown.observation;
    if (!observation.idle_unexplained()) return {};
    const HostLag lag = host_lag_beside_batches(slowdown);
    Finding finding;
    std::uint32_t most = kNone;
    for (const std::uint32_t r : lag.ranks) {
      if (idle_is_of_host(observation, r) || !slowdown.recorded(r) || is_filled(slowdown, r, data)) continue;
      finding.ranks.push_back(r);
      if (most == kNone || lag.by_rank[r] > lag.by_rank[most]) most = r;
    }
    const double limit = felt_time(data, slowdown.shared, slowdown.usual());
    if (most == kNone || lag.by_rank[most] <= limit) return {};
    finding.explains = std::min(1.0, lag.by_rank[most] / slowdown.own_lag());
    finding.doubt = data.at("undecided");
    finding.add({fmt::format("the device of rank {} runs nothing for {{}}", most),
                 "ms per step more than usual", lag.by_rank[most] / kPicosecondsOfMs,
                 limit / kPicosecondsOfMs, slowdown.place(most)});
    add_missing(observation, finding);
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    if (!job.observation.idle_unexplained()) return {};
    const ProfiledTime* time = job.observation.profiled_time();
    // Pauses between the calls of a benchmark are no loss.
    if (time && is_benchmark(*time)) return {};
    const ProfileMeans means = time ? profile_means(job) : ProfileMeans();
    std::map<std::uint32_t, double> idle;
    std::uint32_t most = kNone;
    for (std::uint32_t rank = 0; rank < job.mean.size(); ++rank) {
      const std::optional<SteadyState::Lanes> lanes = job.lanes(rank);
      if (!lanes) continue;
      if (idle_is_of_host(job.observation, rank)) continue;
      // Operators of the host keep no device busy.
      const auto mean = means.ranks.find(rank);
      idle[rank] =
          mean == means.ranks.end() ? std::max(0.0, lanes->total - busy_of(job, rank)) : mean->second.free;
      if (most == kNone || idle[rank] > idle[most]) most = rank;
    }
    const double limit = std::max(felt_time(data, job.shared, job.took), data.at("idle") * job.took);
    if (most == kNone || idle[most] <= limit) return {};
    Finding finding;
    for (const auto& [rank, time] : idle)
      if (time > limit) finding.ranks.push_back(rank);
    finding.lost_ms = job.gain(job.for_all_ranks(idle)) / kPicosecondsOfMs;
    finding.explains = 1;
    add_evidence(job, most, idle[most], limit, finding);
    add_missing(job.observation, finding);
    return {finding};
  }

 private:
  static bool is_filled(const Slowdown& slowdown, std::uint32_t rank, const RuleData& data) {
    double filled = 0;
    for (std::size_t kind = 0; kind < kCountOf<HostKind>; ++kind)
      if (static_cast<HostKind>(kind) != HostKind::kOther)
        filled = std::max(filled, filled_part(slowdown, rank, static_cast<HostKind>(kind)));
    return filled >= data.at("unfilled");
  }

  static void add_missing(const Observation& observation, Finding& finding) {
    const auto lacks = [&](const auto& is_seen) { return !std::ranges::all_of(finding.ranks, is_seen); };
    if (lacks([&](std::uint32_t r) { return observation.hosts_seen(r); }))
      finding.missing.emplace_back(
          "trace_view.json: launches and syncs of the host: launch-bound, or waiting?");
    if (lacks([&](std::uint32_t r) { return observation.exchanges_seen(r); }))
      finding.missing.emplace_back("communication.json: did these ranks wait for others?");
  }

  // Returns the time in which the rank's device runs anything, in ps of a step.
  static double busy_of(const SteadyState& job, std::uint32_t rank) {
    double busy = 0, steps = 0;
    for (const FullStep& step : job.full) {
      Stretches device;
      for (const OperatorRecord& record : step.operators)
        if (record.rank == rank) device.emplace_back(record.start, record.end);
      for (const TransferRecord& put : step.transfers)
        if (put.src == rank || put.dst == rank) device.emplace_back(put.start, put.end);
      if (device.empty()) continue;
      unite(device);
      busy += picoseconds(length_of(device));
      ++steps;
    }
    return steps > 0 ? busy / steps : 0;
  }

  static void add_evidence(const SteadyState& job, std::uint32_t rank, double idle, double limit,
                           Finding& finding) {
    const Gap gap = longest_gap(job.full, rank);
    const RecordPlace place = gap.behind ? job.observation.place_of(*gap.behind) : job.place(rank);
    finding.add({fmt::format("the device of rank {} runs nothing for {{}}", rank), "ms per step",
                 idle / kPicosecondsOfMs, limit / kPicosecondsOfMs, job.place(rank)});
    if (gap.behind)
      finding.add(
          {fmt::format("the longest gap, before {}, takes {{}}", job.observation.names()[gap.behind->op]),
           "ms", picoseconds(gap.length) / kPicosecondsOfMs, 0, place});
    const std::map<std::uint32_t, HostIdle> hosts = host_idle_times(job);
    const auto host = hosts.find(rank);
    if (host == hosts.end() || host->second.idle <= 0) return;
    finding.add({"meanwhile its host runs operators of the framework for {} of that time", "",
                 host->second[HostKind::kOther].idle / host->second.idle, 0, place});
  }
};

A3SIM_REGISTER(CauseRule, "device.idle", "nothing runs on the device: launches or waiting, undecided",
               DeviceIdleRule);

}  // namespace
}  // namespace a3sim
