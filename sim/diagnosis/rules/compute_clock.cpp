#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/diagnosis/rules/computing.h"
#include "sim/diagnosis/rules/rule.h"
#include "traces/profiled_time.h"

namespace a3sim {
namespace {

// Returns how much longer an operator takes because of its clock, at most by how much it takes longer in
// total, in ps of its workers. A core's loads and stores depend on its clock too.
double by_clock(const OperatorLag& lag) {
  const double longer = picoseconds(lag.now.run - lag.usual.run);
  return std::clamp(picoseconds(lag.usual.run) * (1 / lag.clock() - 1), 0.0, std::max(0.0, longer));
}

// A rank's clocks that were sampled beside its steps, in MHz, and what it computes in usual steps.
struct SampledClocks {
  std::vector<double> slow, usual, computing;
};
std::map<std::uint32_t, SampledClocks> sampled_clocks(const ProfiledTime& time,
                                                      const std::set<std::uint64_t>& slow_steps) {
  std::map<std::uint32_t, SampledClocks> ranks;
  for (const StepTime& step : time.steps) {
    const bool slow = slow_steps.contains(step.step);
    if (!slow) ranks[step.rank].computing.push_back(picoseconds(step.computing));
    if (!step.told || step.told->clock <= 0) continue;
    SampledClocks& clocks = ranks[step.rank];
    (slow ? clocks.slow : clocks.usual).push_back(step.told->clock);
  }
  return ranks;
}

// Compares clocks that were sampled beside slow steps with those of the same rank's usual ones.
std::vector<Finding> low_samples(const Slowdown& slowdown, const RuleData& data) {
  const ProfiledTime* time = slowdown.observation.profiled_time();
  if (!time) return {};
  std::set<std::uint64_t> slow;
  for (const std::uint32_t step : slowdown.episode.steps) slow.insert(slowdown.observation.number_of(step));
  Finding finding;
  for (const auto& [rank, clocks] : sampled_clocks(*time, slow)) {
    if (clocks.slow.empty() || clocks.usual.empty()) continue;
    const double part = median(clocks.slow) / median(clocks.usual), limit = 1 - data.at("low");
    if (part > limit) continue;
    finding.ranks.push_back(rank);
    finding.factor = finding.factor > 0 ? std::min(finding.factor, part) : part;
    const double longer = median(clocks.computing) * (1 / part - 1);
    finding.explains = std::max(finding.explains, std::min(1.0, longer / slowdown.own_lag()));
    finding.add({fmt::format("clock of rank {} beside slow steps, of its usual one", rank), "", part, limit,
                 slowdown.place(rank)});
  }
  if (finding.ranks.empty()) return {};
  finding.doubt = data.at("sampled");
  return {finding};
}

class ComputeClockRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    Finding finding;
    double lowest = 1;
    for (const RankOperators& rank : computing(slowdown)) {
      double clock = 0, weight = 0, explained = 0;
      const OperatorRecord* longest = nullptr;
      for (const OperatorLag* lag : rank.lags) {
        if (std::isnan(lag->now.clock)) continue;
        if (lag->now.core == CoreKind::kCube) explained += by_clock(*lag) / slowdown.workers(lag->now.core);
        const auto run = picoseconds(lag->now.run);
        clock += run * static_cast<double>(lag->now.clock);
        weight += run;
        if (!longest || lag->now.run > longest->run) longest = &lag->now;
      }
      if (weight <= 0 || clock / weight > 1 - data.at("low")) continue;
      finding.ranks.push_back(rank.rank);
      const double mean = clock / weight;
      finding.explains = std::max(finding.explains,
                                  std::min(1.0, explained / std::max(1.0, rank.steps) / slowdown.own_lag()));
      finding.add({fmt::format("the mean clock of rank {} is {{}} of the nominal one", rank.rank), "", mean,
                   1 - data.at("low"), slowdown.observation.place_of(*longest)});
      lowest = std::min(lowest, mean);
    }
    if (finding.ranks.empty()) return low_samples(slowdown, data);
    finding.ranks = busy_alike(slowdown, finding.ranks);
    finding.factor = lowest;
    return {finding};
  }

  // Finds ranks whose arithmetic takes longer than on most ranks at equal work.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    Finding finding;
    std::vector<double> sooner(job.mean.size());
    const double highest = 1 / (1 - data.at("standing"));
    for (const RankBeside& rank : ranks_beside(job, 0, 1)) {
      if (rank.usual_arithmetic <= 0 || rank.arithmetic < highest * rank.usual_arithmetic) continue;
      const double longer = rank.arithmetic / rank.usual_arithmetic;
      finding.ranks.push_back(rank.rank);
      finding.factor = finding.factor > 0 ? std::min(finding.factor, 1 / longer) : 1 / longer;
      // A core's loads and stores depend on its clock too.
      sooner[rank.rank] = std::max(rank.lost_arithmetic, rank.lost);
      finding.explains = std::max(finding.explains, rank.lost_arithmetic / sooner[rank.rank]);
      finding.add({fmt::format("at equal work, arithmetic of rank {} takes {{}} of the median rank's time",
                               rank.rank),
                   "", longer, highest, job.observation.place_of(*rank.longest)});
    }
    if (finding.ranks.empty()) return {};
    finding.lost_ms = job.gain_of_computing(sooner) / kPicosecondsOfMs;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "compute.clock", "a die's clock is low", ComputeClockRule);

}  // namespace
}  // namespace a3sim
