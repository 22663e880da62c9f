#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/diagnosis/rules/computing.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// Slow memory: several operators wait longer for memory at equal work, while arithmetic takes the usual time.
class ComputeHbmRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    Finding finding;
    for (const RankOperators& rank : computing(slowdown)) {
      std::map<std::uint32_t, double> slow;  // by operator: lost time
      const OperatorLag* worst = nullptr;
      double lost = 0, most = 0;
      for (const OperatorLag* lag : rank.lags) {
        if (std::abs(lag->arithmetic() - 1) > data.at("arithmetic")) continue;
        if (lag->rest() < data.at("slower") || lag->now.hbm_bytes <= 0) continue;
        const double of_it = lag->lag(slowdown.workers(lag->now.core)) / std::max(1.0, rank.steps);
        lost += of_it;
        most = std::max(most, slow[lag->now.op] += of_it);
        if (!worst || lag->lag(1) > worst->lag(1)) worst = lag;
      }
      if (slow.size() < data.at("operators") || lost < data.at("least") * slowdown.usual()) continue;
      if (most > data.at("single") * lost) continue;
      finding.ranks.push_back(rank.rank);
      const double lag = std::max(1.0, slowdown.excess(Measure::kOwn, rank.rank));
      finding.confidence = std::max(finding.confidence, std::min(1.0, lost / lag));
      finding.add({fmt::format("rank {}: what {} takes beside its arithmetic, of the usual", rank.rank,
                               slowdown.observation.names()[worst->now.op]),
                   "", worst->rest(), data.at("slower"), slowdown.observation.place_of(worst->now)});
      finding.add({fmt::format("rank {}: operators that memory slows down", rank.rank), "",
                   static_cast<double>(slow.size()), data.at("operators"),
                   slowdown.observation.place_of(worst->now)});
      finding.factor = std::max(finding.factor, 1 / worst->rest());
    }
    if (finding.ranks.empty()) return {};
    finding.ranks = busy_alike(slowdown, finding.ranks);
    return {finding};
  }

  // Finds ranks on which several operators spend more time outside arithmetic than on most ranks at equal
  // work.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    Finding finding;
    std::vector<double> sooner(job.mean.size());
    for (const RankBeside& rank : ranks_beside(job, data.at("arithmetic"), data.at("slower"))) {
      if (rank.slow_rests < data.at("operators") || rank.lost_rest < data.at("least") * job.took) continue;
      if (rank.most_rest > data.at("single") * rank.lost_rest) continue;
      finding.ranks.push_back(rank.rank);
      finding.factor = finding.factor > 0 ? std::min(finding.factor, 1 / rank.slowest) : 1 / rank.slowest;
      sooner[rank.rank] = rank.lost_rest;
      const RecordPlace place = job.observation.place_of(*rank.worst);
      finding.add({fmt::format("rank {}: what {} takes beside its arithmetic, of the median rank's",
                               rank.rank, job.observation.names()[rank.worst->op]),
                   "", rank.slowest, data.at("slower"), place});
      finding.add({fmt::format("rank {}: operators that memory slows down", rank.rank), "",
                   static_cast<double>(rank.slow_rests), data.at("operators"), place});
    }
    if (finding.ranks.empty() || 2 * finding.ranks.size() > job.mean.size()) return {};
    finding.lost_ms = job.gain_of_computing(sooner) / kPicosecondsOfMs;
    finding.confidence = 1;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "compute.hbm", "memory-bound work is slow on a rank", ComputeHbmRule);

}  // namespace
}  // namespace a3sim
