#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/rules/compute_lag.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

class ComputeClockRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    Finding finding;
    double lowest = 1;
    for (const RankOperators& rank : computing(of)) {
      double clock = 0, weight = 0;
      const OperatorRecord* longest = nullptr;
      for (const OperatorLag* lag : rank.lags) {
        if (std::isnan(lag->now.clock)) continue;
        const auto run = static_cast<double>(lag->now.run.count());
        clock += run * static_cast<double>(lag->now.clock);
        weight += run;
        if (!longest || lag->now.run > longest->run) longest = &lag->now;
      }
      if (weight <= 0 || clock / weight > 1 - data.at("low")) continue;
      finding.ranks.push_back(rank.rank);
      const double mean = clock / weight;
      const double explained = rank.sum([&](const OperatorLag& lag) {
        return lag.now.core == CoreKind::kCube
                   ? static_cast<double>((lag.now.arithmetic - lag.usual.arithmetic).count()) /
                         of.workers(lag.now.core)
                   : 0;
      });
      const double lag = std::max(1.0, of.excess(Measure::kOwn, rank.rank));
      finding.confidence = std::max(finding.confidence, std::min(1.0, explained / lag));
      finding.evidence.push_back({fmt::format("mean clock of rank {}, of the nominal one", rank.rank), "", mean,
                                  1 - data.at("low"), of.of.place_of(*longest)});
      lowest = std::min(lowest, mean);
    }
    if (finding.ranks.empty()) return {};
    finding.ranks = busy_alike(of, finding.ranks);
    finding.factor = lowest;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "compute.clock", "a die's clock is low", ComputeClockRule);

}  // namespace
}  // namespace a3sim
