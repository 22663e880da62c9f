#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

using LaunchLengths =
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>>;  // by rank, step

// Returns the coefficient of variation of launch lengths around the mean of their rank and step: launches that are
// steadily slow in some steps only are regular in each of them. Where steps have a single launch of a rank, it is
// that around the rank's mean.
double spread_of_lengths(const LaunchLengths& lengths) {
  double squares = 0, free = 0;
  const auto add = [&](const std::vector<double>& times) {
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    for (const double time : times) squares += mean > 0 ? (time / mean - 1) * (time / mean - 1) : 0;
    free += static_cast<double>(times.size()) - 1;
  };
  for (const auto& [key, times] : lengths) add(times);
  if (free > 0) return std::sqrt(squares / free);
  std::map<std::uint32_t, std::vector<double>> of_ranks;
  for (const auto& [key, times] : lengths)
    of_ranks[key.first].insert(of_ranks[key.first].end(), times.begin(), times.end());
  for (const auto& [rank, times] : of_ranks) add(times);
  return free > 0 ? std::sqrt(squares / free) : 0;
}

// Returns the same for the ranks whose launches take longer than usual.
double spread_of_launches(const Slowdown& slowdown, const HostLag& lag) {
  const double among = slowdown.shared.at("host_among");
  const double most = host_fill(slowdown, lag, HostKind::kLaunch).time;
  LaunchLengths lengths;
  for (const FullStep& step : slowdown.full) {
    for (const HostRecord& record : step.host) {
      const auto found = slowdown.host.find({record.rank, HostKind::kLaunch});
      if (record.kind != HostKind::kLaunch || found == slowdown.host.end() ||
          found->second.time < among * most)
        continue;
      lengths[{record.rank, step.step}].push_back(picoseconds(record.length()));
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
    const HostFill launches = host_fill(slowdown, lag, HostKind::kLaunch);
    double others = 0;
    for (const HostKind kind : kOtherKinds) others = std::max(others, host_fill(slowdown, lag, kind).time);
    const bool by_others = others > launches.time && others > data.at("others") * lag.most;
    const double spread = spread_of_launches(slowdown, lag);
    const bool filled = launches.time >= data.at("share") * lag.most;
    std::vector<Finding> findings;
    if (filled && !by_others && (spread >= data.at("irregular")) == irregular_)
      findings.push_back(long_launches(slowdown, lag, spread, data));
    if (irregular_) return findings;
    std::vector<std::uint32_t> ranks = filled || by_others ? ranks_unfilled(slowdown, lag, data) : lag.ranks;
    // Where hosts were recorded, time that none of their events fills is theirs only before the first work.
    if (!slowdown.host.empty())
      std::erase_if(ranks, [&](std::uint32_t r) { return !waits_before_work(slowdown, lag, r); });
    std::erase_if(ranks, [&](std::uint32_t r) { return !idle_is_of_host(slowdown.observation, r); });
    // Without a record of the host nothing is known of what fills the time.
    const bool seen = std::ranges::any_of(ranks, [&](std::uint32_t r) { return slowdown.recorded(r); });
    if (seen) findings.push_back(unfilled(slowdown, lag, ranks, data));
    return findings;
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    LaunchLengths lengths;
    for (const FullStep& step : job.full)
      for (const HostRecord& event : step.host)
        if (event.kind == HostKind::kLaunch)
          lengths[{event.rank, step.step}].push_back(picoseconds(event.length()));
    const double spread = spread_of_lengths(lengths);
    if ((spread >= data.at("irregular")) != irregular_) return {};
    std::vector<Finding> findings = steady_host_events(job, HostKind::kLaunch, data);
    for (Finding& finding : findings)
      finding.add({"lengths of launches vary by {} of their mean (standard deviation)", "", spread,
                   data.at("irregular"), finding.evidence.front().place});
    return findings;
  }

 private:
  static constexpr std::array kOtherKinds{HostKind::kCompile, HostKind::kSync, HostKind::kCollect,
                                          HostKind::kAllocate, HostKind::kLog};

  // Returns the ranks that wait while nothing that was recorded on their hosts fills the time.
  static std::vector<std::uint32_t> ranks_unfilled(const Slowdown& slowdown, const HostLag& lag,
                                                   const RuleData& data) {
    std::vector<std::uint32_t> ranks;
    for (const std::uint32_t r : lag.ranks) {
      const double waited = recorded_wait(slowdown, r);
      double filled = filled_part(slowdown, r, HostKind::kLaunch);
      for (const HostKind kind : kOtherKinds) filled = std::max(filled, filled_part(slowdown, r, kind));
      if (waited > slowdown.shared.at("host_among") * lag.most && filled < data.at("share"))
        ranks.push_back(r);
    }
    return ranks;
  }

  // Returns whether a rank waits for its host mostly before its first work.
  static bool waits_before_work(const Slowdown& slowdown, const HostLag& lag, std::uint32_t rank) {
    return 2 * slowdown.excess(Measure::kDelay, rank) > lag.by_rank[rank];
  }

  // Adds ranks whose launches grew too, although their devices did not wait for them while others waited.
  static void add_hidden(const Slowdown& slowdown, double most, std::vector<std::uint32_t>& ranks) {
    for (const auto& [key, time] : slowdown.host)
      if (key.second == HostKind::kLaunch && time.time > slowdown.shared.at("host_among") * most)
        ranks.push_back(key.first);
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  }

  static Finding found_on(const Slowdown& slowdown, const HostLag& lag, std::vector<std::uint32_t> ranks) {
    Finding finding;
    finding.ranks = std::move(ranks);
    double most = 0;
    for (const std::uint32_t r : finding.ranks) most = std::max(most, lag.by_rank[r]);
    finding.explains = std::min(1.0, most / slowdown.own_lag());
    return finding;
  }

  static void add_wait(const Slowdown& slowdown, const HostLag& lag, Finding& finding) {
    const auto worst = *std::ranges::max_element(finding.ranks, {}, [&](auto r) { return lag.by_rank[r]; });
    finding.add({fmt::format("rank {} waits {{}} for its host", worst), "ms per step",
                 lag.by_rank[worst] / kPicosecondsOfMs, 0, slowdown.place(worst)});
  }

  static Finding long_launches(const Slowdown& slowdown, const HostLag& lag, double spread,
                               const RuleData& data) {
    const HostFill launches = host_fill(slowdown, lag, HostKind::kLaunch);
    std::vector<std::uint32_t> ranks = without_others(slowdown, lag.ranks, HostKind::kLaunch);
    if (spread < data.at("irregular"))
      std::erase_if(ranks, [&](std::uint32_t r) {
        return !slowdown.recorded(r) && !waits_like(slowdown, r, launches.rank);
      });
    add_hidden(slowdown, launches.time, ranks);
    Finding finding = found_on(slowdown, lag, std::move(ranks));
    finding.explains *= std::min(1.0, launches.time / std::max(1.0, grown_in_turn(slowdown, launches.rank)));
    finding.add({fmt::format("launches of rank {} take {{}}", launches.rank), "ms per step more than usual",
                 launches.time / kPicosecondsOfMs, data.at("share") * lag.most / kPicosecondsOfMs,
                 launches.place});
    finding.add({"lengths of launches vary by {} of their mean (standard deviation)", "", spread,
                 data.at("irregular"), launches.place});
    add_wait(slowdown, lag, finding);
    return finding;
  }

  static Finding unfilled(const Slowdown& slowdown, const HostLag& lag,
                          const std::vector<std::uint32_t>& ranks, const RuleData& data) {
    Finding finding = found_on(slowdown, lag, ranks);
    // Ranks wait side by side before their first work: a step is longer by at most the longest wait.
    double most = 0;
    for (const std::uint32_t r : ranks) most = std::max(most, lag.by_rank[r]);
    finding.explains = std::min(finding.explains, most / std::max(1.0, slowdown.lag()));
    finding.missing.emplace_back("host events that fill the time before the first launch");
    finding.own_remedies = true;
    finding.remedies.push_back(
        {"find out what the hosts of these ranks do before their first launch: a late batch, another "
         "process, "
         "a checkpoint, a log"});
    finding.doubt = 1 - data.at("unfilled");
    add_wait(slowdown, lag, finding);
    return finding;
  }

  bool irregular_;
};

A3SIM_REGISTER(CauseRule, "host.contention", "launches are irregular, as something else runs on the node",
               HostLaunchRule(true));
A3SIM_REGISTER(CauseRule, "host.dispatch", "launches come later than the device asks for them",
               HostLaunchRule(false));

}  // namespace
}  // namespace a3sim
