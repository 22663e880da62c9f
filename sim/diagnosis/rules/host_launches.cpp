#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// By rank lengths of its launches: their standard deviation around each rank's mean, over that.
double spread_of_lengths(const std::map<std::uint32_t, std::vector<double>>& lengths) {
  double squares = 0, count = 0;
  for (const auto& [rank, times] : lengths) {
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    for (const double time : times) squares += mean > 0 ? (time / mean - 1) * (time / mean - 1) : 0;
    count += static_cast<double>(times.size());
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

// Of the lengths of launches on ranks whose launches take longer than usual: the standard deviation around each rank's
// mean, over that.
double spread_of_launches(const Case& of) {
  constexpr double kAmong = 0.1;  // of the rank whose launches grew most
  const double most = host_fill(of, HostKind::kLaunch).time;
  std::map<std::uint32_t, std::vector<double>> lengths;
  for (const FullStep& step : of.full) {
    for (const HostRecord& record : step.host) {
      const auto found = of.host.find({record.rank, HostKind::kLaunch});
      if (record.kind != HostKind::kLaunch || found == of.host.end() || found->second.time < kAmong * most)
        continue;
      lengths[record.rank].push_back(picoseconds(record.length()));
    }
  }
  return spread_of_lengths(lengths);
}

// Several ranks of a node that wait: what disturbs them disturbs all of it.
std::vector<std::uint32_t> with_their_node(const Case& of, const std::vector<std::uint32_t>& ranks) {
  const std::vector<std::uint32_t>& nodes = of.of.nodes();
  std::vector<std::uint32_t> all;
  for (std::uint32_t r = 0; r < of.of.ranks(); ++r) {
    const auto beside = std::ranges::count_if(ranks, [&](std::uint32_t o) { return nodes[o] == nodes[r]; });
    if (beside > 1 || std::ranges::binary_search(ranks, r)) all.push_back(r);
  }
  return all;
}

// Launches that take long: regular ones are the host's own, irregular ones somebody else's on the node.
class HostLaunchRule final : public CauseRule {
 public:
  explicit HostLaunchRule(bool irregular) : irregular_(irregular) {}

  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    const HostLag lag = host_lag(of);
    if (!lag.found() || waits_for_batches(of)) return {};
    const auto worst =
        static_cast<std::uint32_t>(std::ranges::max_element(lag.by_rank) - lag.by_rank.begin());
    const HostFill launches = host_fill(of, HostKind::kLaunch);
    const double share = launches.time / std::max(1.0, lag.most);
    double others = 0;
    for (const HostKind kind :
         {HostKind::kCompile, HostKind::kSync, HostKind::kCollect, HostKind::kAllocate, HostKind::kLog})
      others = std::max(others, host_fill(of, kind).time);
    if (others > launches.time && others > data.at("others") * lag.most) return {};
    const double spread = spread_of_launches(of);
    const bool irregular = share >= data.at("share") && spread >= data.at("irregular");
    if (irregular != irregular_) return {};
    const bool seen = std::ranges::any_of(lag.ranks, [&](std::uint32_t r) { return of.recorded(r); });
    if (!seen) return {};  // what the host did then is not known
    Finding finding;
    finding.ranks = irregular ? with_their_node(of, lag.ranks) : lag.ranks;
    finding.confidence = std::min(1.0, lag.most / std::max(1.0, of.excess(Measure::kOwn, worst)));
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
                 0, of.place(worst)});
    return {finding};
  }

  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    std::map<std::uint32_t, std::vector<double>> lengths;
    for (const FullStep& step : of.full)
      for (const HostRecord& event : step.host)
        if (event.kind == HostKind::kLaunch) lengths[event.rank].push_back(picoseconds(event.length()));
    const double spread = spread_of_lengths(lengths);
    if ((spread >= data.at("irregular")) != irregular_) return {};
    std::vector<Finding> findings = standing_host_events(of, HostKind::kLaunch, data);
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
